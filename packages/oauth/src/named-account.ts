import type { AccountParameter, NamedAccount } from '@switchboard/domain';

/** Longer than any name and its address together: nobody's patterns are tried on more. */
const TYPED_MAX = 300;

/** The name in what was typed; null when it is none. */
export function parseAccountName(
  { field, patterns: spellings }: NamedAccount,
  answers: Readonly<Record<string, string>>,
) {
  const typed = (answers[field] ?? '').replace(/[\p{Cc}\p{Cf}\s]/gu, '').toLowerCase();
  if (typed.length > TYPED_MAX) return null;
  for (const spelling of spellings) {
    const name = spelling.exec(typed)?.[1];
    if (name !== undefined) return name;
  }
  return null;
}

interface AccountOrigins {
  readonly baseUrl: string | null;
  readonly authBaseUrl: string | null;
}

/** Where a named account's API and its OAuth are. What the operator set replaces it: a test's server, or a proxy. */
export function resolveAccountOrigins(
  { location: place }: NamedAccount,
  name: string,
  origins: AccountOrigins,
) {
  const { baseUrl, authBaseUrl } = origins;
  if (place.kind === 'path') {
    return { server: baseUrl === null ? null : baseUrl + fillTemplate(place.path, name), authBaseUrl };
  }
  const own = fillTemplate(place.origin, name);
  return { server: baseUrl ?? own, authBaseUrl: authBaseUrl ?? own };
}

/** What the platform itself calls it. */
export const formatAccountName = ({ value }: AccountParameter, name: string): string =>
  fillTemplate(value, name);

const fillTemplate = (text: string, name: string) => text.replaceAll('{name}', name);
