import { Secret } from '@switchboard/domain';
import type { KeyInResponse, Outbound } from '@switchboard/domain/ports';

export interface AccountKey {
  readonly account: string;
  readonly key: string;
}

const TEXT_MAX = 1_024;

/** The key in a token response; null without one. */
export function readAccountKey(facts: KeyInResponse, said: unknown): AccountKey | null {
  const [account, key] = [readTextAt(said, facts.account), readTextAt(said, facts.key)];
  return account === null || key === null ? null : { account, key };
}

function readTextAt(said: unknown, path: readonly string[]): string | null {
  const found = path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined,
    said,
  );
  return typeof found === 'string' && found.length <= TEXT_MAX && /^[\x21-\x7e]+$/.test(found) ? found : null;
}

/** Deletes the resource of a key, authenticated by the key itself. False when the call should be retried. */
export async function deleteKeyResource(
  outbound: Outbound,
  baseUrl: string,
  { deletePath }: KeyInResponse,
  { account, key }: AccountKey,
  headers: Readonly<Record<string, string>>,
): Promise<boolean> {
  const outcome = await outbound.request({
    method: 'DELETE',
    url: baseUrl + deletePath.replace('{account}', encodeURIComponent(account)),
    keyInPath: new Secret(key),
    headers,
    deadlineSeconds: 10,
    maxBytes: 64 * 1024,
  });
  return outcome.kind === 'answered' && outcome.status < 500 && outcome.status !== 429;
}
