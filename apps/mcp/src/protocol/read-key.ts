import { readFileSync } from 'node:fs';
import type { Config } from '@switchboard/bootstrap/startup-config';
import { parsePublicId } from '@switchboard/domain/access';

/** The `Authorization` value of the key that stdio uses, or the one-line reason why there is none. */
type KeyReadResult =
  | { readonly ok: true; readonly authorization: string }
  | { readonly ok: false; readonly reason: string };

type KeySource = Pick<Config, 'apiKey' | 'apiKeyFile'>;

export const invalidKeyMessage = ({ apiKeyFile }: Pick<Config, 'apiKeyFile'>): string =>
  apiKeyFile === null
    ? 'SWITCHBOARD_API_KEY is not a valid key: it may be mistyped, expired or revoked.'
    : `SWITCHBOARD_API_KEY_FILE: ${apiKeyFile} does not contain a valid key: it may be mistyped, expired or revoked.`;

/** Whether a key is set and well-formed, which needs no lookup. */
export function readKey({ apiKey, apiKeyFile }: KeySource): KeyReadResult {
  let key = apiKey;
  if (apiKeyFile !== null) {
    try {
      key = readFileSync(apiKeyFile, 'utf8').trim();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return {
        ok: false,
        reason: `SWITCHBOARD_API_KEY_FILE cannot be read: ${code ?? message} ${apiKeyFile}`,
      };
    }
  }
  if (key === null) {
    const reason =
      'SWITCHBOARD_API_KEY is not set: set it to an API key (swb_…), or set SWITCHBOARD_API_KEY_FILE to a file that holds one.';
    return { ok: false, reason };
  }
  return parsePublicId(key) === null
    ? { ok: false, reason: invalidKeyMessage({ apiKeyFile }) }
    : { ok: true, authorization: `Bearer ${key}` };
}
