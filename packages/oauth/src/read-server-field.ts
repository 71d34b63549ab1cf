import type { KeyFormFacts, Manifest } from '@switchboard/domain/ports';
import { refuseFormField } from './atproto-login.js';
import { parseAccountName, resolveAccountOrigins } from './named-account.js';
import type { OriginResolver } from './oauth2-authorizer.js';

/** The origin of the account's server, from the form; null: the platform's common origin. */
export function readServerField(
  manifest: Manifest,
  { serverField, account }: Pick<KeyFormFacts, 'serverField' | 'account'>,
  answers: Readonly<Record<string, string>>,
  origins: ReturnType<OriginResolver>,
  allowHttp: boolean,
): { readonly ok: true; readonly server: string | null } | ReturnType<typeof refuseFormField> {
  if (account) {
    const name = parseAccountName(account, answers);
    return name === null
      ? refuseFormField(account.field, 'No account name was found in this value. Copy it again.')
      : { ok: true, server: resolveAccountOrigins(account, name, origins).server };
  }
  if (serverField === null) return { ok: true, server: null };
  const server = parseStoreUrl(answers[serverField], allowHttp);
  return server === null ? refuseFormField(serverField, createServerPrompt(manifest)) : { ok: true, server };
}

/** The prompt when the server URL is required but missing. */
const createServerPrompt = ({ kind }: Manifest): string =>
  kind === 'commerce'
    ? 'Enter the store URL, such as https://shop.example.'
    : 'Enter the server URL, such as https://social.example.';

/**
 * Parses a store URL as people copy it, for example from the address bar: the scheme is optional, the path is
 * kept since a store may run in a subdirectory, query and fragment are dropped. Null when it is invalid.
 */
export function parseStoreUrl(typed: string | undefined, allowHttp: boolean): string | null {
  const text = (typed ?? '').replace(/[\p{Cc}\p{Cf}\s]/gu, '');
  const complete = /^[a-z]+:\/\//i.test(text) ? text : `https://${text}`;
  if (text === '' || !URL.canParse(complete)) return null;
  const { protocol, username, password, origin, pathname, hostname } = new URL(complete);
  const isAllowedScheme = protocol === 'https:' || (allowHttp && protocol === 'http:');
  const isQualifiedHost = /[.:]/.test(hostname) || hostname === 'localhost' || complete === text;
  if (!isAllowedScheme || username !== '' || password !== '' || !isQualifiedHost) return null;
  return origin + pathname.replace(/\/+$/, '');
}
