import type { Operation } from '@switchboard/operations';
import type { JsonObject } from './json.js';
import type { RestResponse, RestClient } from './rest-client.js';

/** Calls an operation over REST: path parameters go into the path, the rest into query or body. */
export function callOperation(
  client: Pick<RestClient, 'sendRequest'>,
  { http: { method, path } }: Pick<Operation, 'http'>,
  input: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): Promise<RestResponse> {
  const remaining = { ...input };
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(remaining[name]);
    delete remaining[name];
    return encodeURIComponent(value);
  });
  const sent = method === 'get' ? { query: remaining as Record<string, string> } : { body: remaining };
  return client.sendRequest(method.toUpperCase(), filled, { ...sent, headers });
}
