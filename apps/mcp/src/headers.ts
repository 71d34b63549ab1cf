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

/** What a client asks to be kept from: `X-MCP-Toolsets: social,commerce` and `X-MCP-Readonly: true`. */
export function wishOf(request: Request): Wish {
  const toolsets = request.get('x-mcp-toolsets');
  return {
    toolsets: toolsets === undefined ? null : listOf(toolsets),
    readOnly: /^\s*(true|1)\s*$/i.test(request.get('x-mcp-readonly') ?? ''),
  };
}
