import type { AccountParameter, NamedAccount } from '@switchboard/domain/ports';

/** Longer than any account name with its URL; longer input is not matched against the patterns. */
const TYPED_MAX = 300;

/** Extracts the account name from the input; null when there is none. */
export function parseAccountName(
  { field, patterns }: NamedAccount,
  answers: Readonly<Record<string, string>>,
) {
  const typed = (answers[field] ?? '').replace(/[\p{Cc}\p{Cf}\s]/gu, '').toLowerCase();
  if (typed.length > TYPED_MAX) return null;
  for (const spelling of patterns) {
    const name = spelling.exec(typed)?.[1];
    if (name !== undefined) return name;
  }
  return null;
}

interface AccountOrigins {
  readonly baseUrl: string | null;
  readonly authBaseUrl: string | null;
}

/**
 * The API and OAuth origins of a named account. The operator's override replaces them: a test server or a
 * proxy.
 */
export function resolveAccountOrigins({ location }: NamedAccount, name: string, origins: AccountOrigins) {
  const { baseUrl, authBaseUrl } = origins;
  if (location.kind === 'path') {
    return { server: baseUrl === null ? null : baseUrl + fillTemplate(location.path, name), authBaseUrl };
  }
  const own = fillTemplate(location.origin, name);
  return { server: baseUrl ?? own, authBaseUrl: authBaseUrl ?? own };
}

/** Formats the name as the platform expects it. */
export const formatAccountName = ({ value }: AccountParameter, name: string): string =>
  fillTemplate(value, name);

const fillTemplate = (text: string, name: string) => text.replaceAll('{name}', name);
