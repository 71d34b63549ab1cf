import type { Call } from '../call.js';
import { notFound } from '../failure.js';
import { parseId } from '../ids.js';
import type { ApiKeys, ReadMethods } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { ApiKey } from './api-key.js';

export interface GetKey {
  readonly id: string;
}

export async function getKey(
  ports: { readonly apiKeys: Pick<ReadMethods<ApiKeys>, 'find'> },
  call: Call,
  { id: text }: GetKey,
): Promise<Result<ApiKey, 'key.not_found'>> {
  const id = parseId('key', text);
  const key = id && (await ports.apiKeys.find(call.workspaceId, id));
  return key ? ok(key) : notFound('key');
}
