import type { Operation } from '@switchboard/operations';
import type { JsonObject } from './json.js';
import type { RestAnswer, RestClient } from './rest-client.js';

/** Calls an operation over REST: what the path names goes there, the rest into query or body. */
export function callOperation(
  client: Pick<RestClient, 'ask'>,
  { http: { method, path } }: Pick<Operation, 'http'>,
  input: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): Promise<RestAnswer> {
  const rest = { ...input };
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = String(rest[name]);
    delete rest[name];
    return encodeURIComponent(value);
  });
  const sent = method === 'get' ? { query: rest as Record<string, string> } : { body: rest };
  return client.ask(method.toUpperCase(), filled, { ...sent, headers });
}
