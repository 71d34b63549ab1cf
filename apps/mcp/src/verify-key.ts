import type { Serving } from './server.js';
import { whoami } from './whoami.js';

/** The `Authorization` of the key that stdio acts with, or the one line that says why there is none. */
export type VerifiedKey =
  { readonly ok: true; readonly authorization: string } | { readonly ok: false; readonly why: string };

/** Better to end at once, where a person sees it, than to refuse every call to a model. */
export async function verifyKey({ config, ports, dispatch }: Serving): Promise<VerifiedKey> {
  if (config.apiKey === null) {
    return { ok: false, why: 'SWITCHBOARD_API_KEY is not set: give the API key to act with (swb_…).' };
  }
  const authorization = `Bearer ${config.apiKey}`;
  const { failure } = await dispatch(whoami, {
    surface: 'mcp',
    requestId: ports.ids.next('req'),
    authorization,
    readInput: async () => ({ ok: true, value: {} }),
    signal: new AbortController().signal,
  });
  if (failure === null) return { ok: true, authorization };
  return failure.code === 'auth.invalid_key'
    ? { ok: false, why: 'SWITCHBOARD_API_KEY is not a valid key: it may be mistyped, expired or revoked.' }
    : { ok: false, why: `the key could not be checked: ${failure.message}` };
}
