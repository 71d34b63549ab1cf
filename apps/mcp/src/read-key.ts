import type { Config } from '@switchboard/bootstrap/early';
import { readPublicId } from '@switchboard/domain';

/** The `Authorization` of the key that stdio acts with, or the one line that says why there is none. */
export type WrittenKey =
  { readonly ok: true; readonly authorization: string } | { readonly ok: false; readonly why: string };

export const WRONG_KEY = 'SWITCHBOARD_API_KEY is not a valid key: it may be mistyped, expired or revoked.';

/** Whether a key is given and written as keys are, which is known without asking anybody. */
export function readKey({ apiKey }: Pick<Config, 'apiKey'>): WrittenKey {
  if (apiKey === null)
    return { ok: false, why: 'SWITCHBOARD_API_KEY is not set: give the API key to act with (swb_…).' };
  return readPublicId(apiKey) === null
    ? { ok: false, why: WRONG_KEY }
    : { ok: true, authorization: `Bearer ${apiKey}` };
}
