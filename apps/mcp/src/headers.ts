import type { Request } from 'express';
import { listOf } from './list-of.js';
import type { Wish } from './narrowing.js';

/** Two `Authorization` headers are none: nobody knows which one a proxy checked. */
export const authorizationOf = (request: Request): string | undefined =>
  timesSent(request, 'authorization') === 1 ? request.headers.authorization : undefined;

/** How often a header was sent: of most, Node.js shows the first and hides the others. */
export function timesSent(request: Request, wanted: string): number {
  const names = request.rawHeaders.filter((_, index) => index % 2 === 0);
  return names.filter((name) => name.toLowerCase() === wanted).length;
}

/** What a client asks to be kept from: `X-MCP-Toolsets: social,commerce` and `X-MCP-Readonly: true`. What is sent twice is wished twice. */
export const wishesOf = (request: Request): readonly Wish[] => [
  ...linesOf(request, 'x-mcp-toolsets').map((line) => ({ toolsets: listOf(line), readOnly: false })),
  ...linesOf(request, 'x-mcp-readonly').map((line) => ({ toolsets: null, readOnly: !isNo(line) })),
];

const no: readonly string[] = ['false', '0', 'no', 'off'];

/** Whoever sends the header at all and does not plainly say no means yes, however it is written. */
const isNo = (line: string): boolean => listOf(line.toLowerCase()).every((word) => no.includes(word));

const linesOf = ({ rawHeaders }: Request, wanted: string): readonly string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === wanted);
