import type { Service } from '@switchboard/bootstrap';
import type { ConnectErrorCode, ConnectPageView } from '@switchboard/domain/connections';
import type { ConnectMethod } from '@switchboard/domain/ports';
import { accountsPage } from '../pages/accounts-page.js';
import { choicePage } from '../pages/choice-page.js';
import { connectedSoFarPage } from '../pages/connected-so-far-page.js';
import type { Forms } from '../pages/forms.js';
import { nothingToConnectPage } from '../pages/notice-pages.js';
import type { Page } from '../pages/page.js';
import { platformPage, type ConnectAttempt } from '../pages/platform-page.js';
import { fieldLengthMax } from '../pages/render-field.js';
import type { Translator } from '../texts/translator.js';
import { csrfOf } from './browser-cookie.js';
import { formTargets } from './form-targets.js';

interface FormContext {
  readonly token: string;
  readonly browser: string;
  readonly translator: Translator;
}

/**
 * The page of an open link: a choice of accounts, the accounts connected so far, or the form of the next
 * platform.
 */
export function choosePage(
  config: Service['config'],
  open: ConnectPageView,
  { query, ...context }: FormContext & { readonly query: URLSearchParams },
): Page {
  const { choice, connections } = open;
  const forms = formsOf(config, open, context);
  if (choice) return accountsPage(open, choice, forms, context.translator);
  const chosen = query.get('platform');
  const search = query.get('search');
  const isNamed = open.platforms.some(({ manifest }) => manifest.id === chosen);
  const refused = refusalCodes.find((code) => code === query.get('refused')) ?? null;
  return (connections.length > 0 || refused !== null) && !isNamed
    ? connectedSoFarPage({ ...open, platforms: listConnectable(open) }, forms, context.translator, {
        refused,
        search,
      })
    : connectFormPage(config, open, { ...context, chosen, search });
}

const refusalCodes: readonly ConnectErrorCode[] = [
  'denied',
  'wrong_account',
  'exchange_failed',
  'account_unreadable',
  'nothing_to_choose',
];

const listConnectable = ({ platforms }: ConnectPageView) =>
  platforms.filter(({ missing }) => missing.length === 0);

export const formsOf = (
  config: Service['config'],
  open: ConnectPageView,
  { token, browser }: Omit<FormContext, 'translator'>,
): Forms => ({
  path: `/connect/${token}`,
  csrf: csrfOf(browser, token),
  targets: formTargets(config, open.session, listConnectable(open)),
});

/** A choice of platforms, or the form of the chosen or only one. */
export function connectFormPage(
  config: Service['config'],
  open: ConnectPageView,
  {
    chosen,
    search = null,
    ...context
  }: FormContext & { readonly chosen: string | null; readonly search?: string | null },
  attempt: ConnectAttempt | null = null,
): Page {
  const platforms = listConnectable(open);
  const forms = formsOf(config, open, context);
  const [only, ...others] = platforms;
  if (!only) return nothingToConnectPage(context.translator, open.workspace);
  const facts = others.length === 0 ? only : platforms.find(({ manifest }) => manifest.id === chosen);
  if (facts) return platformPage({ ...open, platforms }, facts, forms, context.translator, attempt);
  return {
    ...choicePage({ ...open, platforms }, forms, context.translator, search),
    ...(attempt && { status: attempt.status }),
  };
}

/**
 * Reads only the fields of the connect method. Pasted names may contain spaces and invisible characters
 * around them, which are removed; a password is left unchanged.
 */
export function readFieldValues(
  connectMethod: ConnectMethod | undefined,
  fields: ReadonlyMap<string, string>,
): Record<string, string> {
  return Object.fromEntries(
    (connectMethod?.fields ?? []).map(({ name, kind }) => {
      const typed = (fields.get(name) ?? '').slice(0, fieldLengthMax(kind));
      return [name, kind === 'password' ? typed : typed.replace(/[\p{Cc}\p{Cf}]/gu, '').trim()];
    }),
  );
}
