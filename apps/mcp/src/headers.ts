import type { Request } from 'express';
import { listOf } from './list-of.js';
import type { Wish } from './narrowing.js';

/** Two `Authorization` headers are none: nobody knows which one a proxy checked. */
export function authorizationOf(request: Request): string | undefined {
  const names = request.rawHeaders.filter((_, index) => index % 2 === 0);
  const count = names.filter((name) => name.toLowerCase() === 'authorization').length;
  return count === 1 ? request.headers.authorization : undefined;
}

/** What a client asks to be kept from: `X-MCP-Toolsets: social,commerce` and `X-MCP-Readonly: true`. */
export function wishOf(request: Request): Wish {
  const toolsets = request.get('x-mcp-toolsets');
  return {
    toolsets: toolsets === undefined ? null : listOf(toolsets),
    readOnly: /^\s*(true|1)\s*$/i.test(request.get('x-mcp-readonly') ?? ''),
  };
}
