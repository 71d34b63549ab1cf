import type { Service } from '@switchboard/bootstrap';
import type { ConnectErrorCode, ConnectWay, OpenConnect } from '@switchboard/domain';
import { accountsPage } from '../pages/accounts-page.js';
import { choicePage } from '../pages/choice-page.js';
import { connectedSoFarPage } from '../pages/connected-so-far-page.js';
import type { Forms } from '../pages/forms.js';
import { nothingToConnectPage } from '../pages/notice-pages.js';
import type { Page } from '../pages/page.js';
import { platformPage, type Attempt } from '../pages/platform-page.js';
import type { Words } from '../texts/words.js';
import { csrfOf } from './browser-cookie.js';
import { formTargets } from './form-targets.js';

const ANSWER_MAX = 500;

interface At {
  readonly token: string;
  readonly browser: string;
  readonly words: Words;
}

/** What a link shows that is open: accounts to choose among, what is connected so far, or the next platform's form. */
export function openPage(
  config: Service['config'],
  open: OpenConnect,
  { query, ...at }: At & { readonly query: URLSearchParams },
): Page {
  const { choice, connections } = open;
  const forms = formsOf(config, open, at);
  if (choice) return accountsPage(open, choice, forms, at.words);
  const chosen = query.get('platform');
  const named = open.platforms.some(({ manifest }) => manifest.id === chosen);
  const refused = refusals.find((code) => code === query.get('refused')) ?? null;
  return (connections.length > 0 || refused !== null) && !named
    ? connectedSoFarPage({ ...open, platforms: ready(open) }, forms, at.words, refused)
    : connectFormPage(config, open, { ...at, chosen });
}

const refusals: readonly ConnectErrorCode[] = [
  'denied',
  'wrong_account',
  'exchange_failed',
  'account_unreadable',
  'nothing_to_choose',
];

const ready = ({ platforms }: OpenConnect) => platforms.filter(({ missing }) => missing.length === 0);

export const formsOf = (
  config: Service['config'],
  open: OpenConnect,
  { token, browser }: Omit<At, 'words'>,
): Forms => ({
  path: `/connect/${token}`,
  csrf: csrfOf(browser, token),
  targets: formTargets(config, open.session, ready(open)),
});

/** A choice among platforms, or the form of the one that was chosen or is the only one. */
export function connectFormPage(
  config: Service['config'],
  open: OpenConnect,
  { chosen, ...at }: At & { readonly chosen: string | null },
  attempt: Attempt | null = null,
): Page {
  const platforms = ready(open);
  const forms = formsOf(config, open, at);
  const [only, ...others] = platforms;
  if (!only) return nothingToConnectPage(at.words, open.workspace);
  const facts = others.length === 0 ? only : platforms.find(({ manifest }) => manifest.id === chosen);
  if (facts) return platformPage({ ...open, platforms }, facts, forms, at.words, attempt);
  return {
    ...choicePage({ ...open, platforms }, forms, at.words),
    ...(attempt && { status: attempt.status }),
  };
}

/** The way's own fields and no others. People paste names with spaces and invisible marks around them; a password is left as it is. */
export function answersOf(
  way: ConnectWay | undefined,
  fields: ReadonlyMap<string, string>,
): Record<string, string> {
  return Object.fromEntries(
    (way?.fields ?? []).map(({ name, kind }) => {
      const typed = (fields.get(name) ?? '').slice(0, ANSWER_MAX);
      return [name, kind === 'password' ? typed : typed.replace(/[\p{Cc}\p{Cf}]/gu, '').trim()];
    }),
  );
}
