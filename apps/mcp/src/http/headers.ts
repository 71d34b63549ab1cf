import type { Request } from 'express';
import { splitList } from '../split-list.js';
import type { ToolFilterInput } from '../tools/tool-filter.js';

/** Two `Authorization` headers count as none: it is unknown which one a proxy checked. */
export const authorizationOf = (request: Request): string | undefined =>
  countHeader(request, 'authorization') === 1 ? request.headers.authorization : undefined;

/** How often a header was sent: for most headers Node.js returns the first value and hides the others. */
export function countHeader(request: Request, headerName: string): number {
  const names = request.rawHeaders.filter((_, index) => index % 2 === 0);
  return names.filter((name) => name.toLowerCase() === headerName).length;
}

/**
 * The restrictions that a client requests: `X-MCP-Toolsets: social,commerce` and `X-MCP-Readonly: true`. A
 * repeated header restricts twice.
 */
export const readToolFilterHeaders = (request: Request): readonly ToolFilterInput[] => [
  ...headerValues(request, 'x-mcp-toolsets').map((line) => ({ toolsets: splitList(line), readOnly: false })),
  ...headerValues(request, 'x-mcp-readonly').map((line) => ({ toolsets: null, readOnly: !isFalse(line) })),
];

const falseValues: readonly string[] = ['false', '0', 'no', 'off'];

/** The header restricts unless its value is plainly false, however that is written. */
const isFalse = (line: string): boolean =>
  splitList(line.toLowerCase()).every((word) => falseValues.includes(word));

const headerValues = ({ rawHeaders }: Request, headerName: string): readonly string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === headerName);
