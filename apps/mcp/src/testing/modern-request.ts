import { CLIENT_CAPABILITIES_META_KEY, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import type { Headers } from './open-http-test-client.js';

/** A request of revision 2026-07-28: its message, and the headers that repeat parts of it. */
export interface ModernTestRequest {
  readonly message: { readonly id: number; readonly method: string; readonly params: object };
  readonly headers: Headers;
}

export function modernRequest(
  method: string,
  { _meta, ...params }: { readonly _meta?: object; readonly [name: string]: unknown } = {},
  { capabilities = {}, id = 1 }: { readonly capabilities?: object; readonly id?: number } = {},
): ModernTestRequest {
  const envelope = {
    [PROTOCOL_VERSION_META_KEY]: '2026-07-28',
    [CLIENT_CAPABILITIES_META_KEY]: capabilities,
  };
  const named = params['name'] ?? params['uri'];
  return {
    message: { id, method, params: { ...params, _meta: { ...envelope, ..._meta } } },
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof named === 'string' && { 'mcp-name': named }),
    },
  };
}
