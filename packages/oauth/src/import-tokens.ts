import { ok, refuse, type Result } from '@switchboard/domain';
import type { ImportRequest, Manifest } from '@switchboard/domain/ports';
import { isToken } from './token-response.js';

/** The tokens of an imported login, as they are sent in a header. */
export function readImportedTokens({
  accessToken,
  refreshToken,
}: Pick<ImportRequest, 'accessToken' | 'refreshToken'>): Result<
  { readonly accessToken: string; readonly refreshToken: string | null },
  'connection.import_invalid'
> {
  const tokens = { accessToken: accessToken.reveal(), refreshToken: refreshToken?.reveal() ?? null };
  return isToken(tokens.accessToken) && (tokens.refreshToken === null || isToken(tokens.refreshToken))
    ? ok(tokens)
    : refuseImport('A token contains an invalid character. Export it again.');
}

export const refuseImport = (message: string) => refuse('connection.import_invalid', message);

export const refuseServer = ({ name }: Pick<Manifest, 'name'>) =>
  refuseImport(`All accounts of ${name} are at one server: leave out server.`);
