import type { Request } from 'express';
import { splitList } from './split-list.js';
import type { ToolFilterInput } from './tool-filter.js';

/** Two `Authorization` headers are none: nobody knows which one a proxy checked. */
export const authorizationOf = (request: Request): string | undefined =>
  countHeader(request, 'authorization') === 1 ? request.headers.authorization : undefined;

/** How often a header was sent: of most, Node.js shows the first and hides the others. */
export function countHeader(request: Request, headerName: string): number {
  const names = request.rawHeaders.filter((_, index) => index % 2 === 0);
  return names.filter((name) => name.toLowerCase() === headerName).length;
}

/** What a client asks to be kept from: `X-MCP-Toolsets: social,commerce` and `X-MCP-Readonly: true`. What is sent twice is wished twice. */
export const readToolFilterHeaders = (request: Request): readonly ToolFilterInput[] => [
  ...headerValues(request, 'x-mcp-toolsets').map((line) => ({ toolsets: splitList(line), readOnly: false })),
  ...headerValues(request, 'x-mcp-readonly').map((line) => ({ toolsets: null, readOnly: !isFalse(line) })),
];

const falseValues: readonly string[] = ['false', '0', 'no', 'off'];

/** Whoever sends the header at all and does not plainly say no means yes, however it is written. */
const isFalse = (line: string): boolean =>
  splitList(line.toLowerCase()).every((word) => falseValues.includes(word));

const headerValues = ({ rawHeaders }: Request, headerName: string): readonly string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === headerName);
