import type { Service } from '@switchboard/bootstrap';
import type { ConnectWay, OpenConnect } from '@switchboard/domain';
import type { Forms } from '../pages/forms.js';
import { choicePage } from '../pages/choice-page.js';
import { nothingToConnectPage } from '../pages/notice-pages.js';
import type { Page } from '../pages/page.js';
import { platformPage, type Attempt } from '../pages/platform-page.js';
import { csrfOf } from './browser-cookie.js';
import { formTargets } from './form-targets.js';

const ANSWER_MAX = 500;

/** What an open session shows: a choice among platforms, or the form of the one that was chosen or is the only one. */
export function connectFormPage(
  config: Service['config'],
  open: OpenConnect,
  {
    token,
    browser,
    chosen,
  }: { readonly token: string; readonly browser: string; readonly chosen: string | null },
  attempt: Attempt | null = null,
): Page {
  const platforms = open.platforms.filter(({ missing }) => missing.length === 0);
  const forms: Forms = {
    path: `/connect/${token}`,
    csrf: csrfOf(browser, token),
    targets: formTargets(
      config,
      open.session,
      platforms.map(({ manifest }) => manifest),
    ),
  };
  const [only, ...others] = platforms;
  if (!only) return nothingToConnectPage(open.workspace);
  const facts = others.length === 0 ? only : platforms.find(({ manifest }) => manifest.id === chosen);
  if (facts) return platformPage({ ...open, platforms }, facts, forms, attempt);
  return { ...choicePage({ ...open, platforms }, forms), ...(attempt && { status: attempt.status }) };
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
