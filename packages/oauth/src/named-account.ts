import type { CalledAccount, NamedAccount } from '@switchboard/domain';

/** Longer than any name and its address together: nobody's patterns are tried on more. */
const TYPED_MAX = 300;

/** The name in what was typed; null when it is none. */
export function readName({ field, spellings }: NamedAccount, answers: Readonly<Record<string, string>>) {
  const typed = (answers[field] ?? '').replace(/[\p{Cc}\p{Cf}\s]/gu, '').toLowerCase();
  if (typed.length > TYPED_MAX) return null;
  for (const spelling of spellings) {
    const name = spelling.exec(typed)?.[1];
    if (name !== undefined) return name;
  }
  return null;
}

interface Origins {
  readonly baseUrl: string | null;
  readonly authBaseUrl: string | null;
}

/** Where a named account's API and its OAuth are. What the operator set replaces it: a test's server, or a proxy. */
export function placeOf({ place }: NamedAccount, name: string, origins: Origins) {
  const { baseUrl, authBaseUrl } = origins;
  if (place.kind === 'path') {
    return { server: baseUrl === null ? null : baseUrl + filled(place.path, name), authBaseUrl };
  }
  const own = filled(place.origin, name);
  return { server: baseUrl ?? own, authBaseUrl: authBaseUrl ?? own };
}

/** What the platform itself calls it. */
export const calledOf = ({ value }: CalledAccount, name: string): string => filled(value, name);

const filled = (text: string, name: string) => text.replaceAll('{name}', name);
