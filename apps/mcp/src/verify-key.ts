import { identify } from '@switchboard/domain';
import type { Serving } from './server.js';

/** The `Authorization` of the key that stdio acts with, or the one line that says why there is none. */
export type VerifiedKey =
  { readonly ok: true; readonly authorization: string } | { readonly ok: false; readonly why: string };

/** Better to end at once, where a person sees it, than to refuse every call to a model. */
export async function verifyKey({ config, ports }: Pick<Serving, 'config' | 'ports'>): Promise<VerifiedKey> {
  if (config.apiKey === null) {
    return { ok: false, why: 'SWITCHBOARD_API_KEY is not set: give the API key to act with (swb_…).' };
  }
  const authorization = `Bearer ${config.apiKey}`;
  const { result } = await identify(ports, authorization);
  return result.ok
    ? { ok: true, authorization }
    : {
        ok: false,
        why: 'SWITCHBOARD_API_KEY is not a valid key: it may be mistyped, expired or revoked.',
      };
}
