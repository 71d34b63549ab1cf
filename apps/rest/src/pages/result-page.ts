import type { Connection, ConnectErrorCode, ConnectSession } from '@switchboard/domain/connections';
import type { Profile } from '@switchboard/domain/profiles';
import type { Workspace } from '@switchboard/domain/workspaces';
import type { TextKey } from '../texts/texts.js';
import type { Translator } from '../texts/translator.js';
import { accountCard } from './account-card.js';
import { isolateName } from './isolate-name.js';
import { html, type Markup } from './html.js';
import { icons } from './icons.js';
import { nameOf, type Page } from './page.js';

/** The outcome of a session, with the data needed to show it. */
export interface EndedSession {
  readonly session: ConnectSession;
  readonly workspace: Workspace;
  readonly profile: Profile;
  readonly connections: readonly Connection[];
  /** By id, for the platforms of the session and of its connections. */
  readonly platformNames: ReadonlyMap<string, string>;
  /** The address where the person came from, with the outcome in its query. */
  readonly returnUrl: string | null;
  readonly translator: Translator;
}

/** `fresh`: the session has just ended. Otherwise the visitor returned to a link that has ended. */
export function resultPage(ended: EndedSession, isFresh: boolean): Page {
  switch (ended.session.status) {
    case 'connected':
      return connected(ended, isFresh);
    case 'cancelled':
      return resultNotice(ended, isFresh ? 200 : 410, 'neutral', 'cancelled', [
        isFresh ? 'nothingConnected' : 'linkWasCancelled',
        'changeYourMind',
      ]);
    case 'expired':
      return resultNotice(ended, 410, 'neutral', 'expired', ['expiredWhy']);
    case 'failed':
      return failed(ended, isFresh);
    case 'pending':
      throw new Error('a pending session has no result');
  }
}

function connected(ended: EndedSession, isFresh: boolean): Page {
  const { workspace, profile, connections, platformNames, translator } = ended;
  const title = isFresh ? 'connected' : 'alreadyConnected';
  const names = { who: isolateName(nameOf(workspace)), profile: isolateName(profile.name) };
  const line = !isFresh
    ? translator.markup('linkDidItsWork', { profile: names.profile })
    : translator.markup(connections.length > 1 ? 'canUseThis' : 'canUseNow', names);
  return {
    status: isFresh ? 200 : 410,
    title: translator.text(title),
    brand: workspace,
    translator,
    content: html`<div class="mark good">${icons.good}</div>
      <h1>${translator.markup(title)}</h1>
      <p class="lead">${line}</p>
      ${connections.map((connection) =>
        accountCard(connection, platformNames.get(connection.platform) ?? connection.platform),
      )}
      ${returnLink(ended)}`,
  };
}

type ResultTextKey =
  | 'nothingConnected'
  | 'linkWasCancelled'
  | 'changeYourMind'
  | 'expiredWhy'
  | 'denied'
  | 'wrongAccount'
  | 'rightAccount'
  | 'nothingToChoose'
  | 'notFinished'
  | 'accountUnreadable'
  | 'tookTooLong'
  | 'askForNewLink';

const reasons: Readonly<
  Record<
    ConnectErrorCode,
    { readonly status: number; readonly lines: readonly [ResultTextKey, ...ResultTextKey[]] }
  >
> = {
  denied: { status: 422, lines: ['denied'] },
  wrong_account: { status: 422, lines: ['wrongAccount', 'rightAccount'] },
  nothing_to_choose: { status: 422, lines: ['nothingToChoose'] },
  account_unreadable: { status: 502, lines: ['accountUnreadable'] },
  exchange_failed: { status: 502, lines: ['notFinished'] },
  expired: { status: 410, lines: ['tookTooLong'] },
};

/** The reason why a login failed, in one sentence. */
export const reasonOf = (code: ConnectErrorCode): ResultTextKey => reasons[code].lines[0];

function failed(ended: EndedSession, isFresh: boolean): Page {
  const { status, lines } = reasons[ended.session.error?.code ?? 'exchange_failed'];
  return resultNotice(ended, isFresh ? status : 410, 'bad', 'notConnected', [...lines, 'askForNewLink']);
}

const resultNotice = (
  ended: EndedSession,
  status: number,
  mark: 'neutral' | 'bad',
  title: TextKey & ('cancelled' | 'expired' | 'notConnected'),
  lines: readonly ResultTextKey[],
): Page => ({
  status,
  title: ended.translator.text(title),
  brand: ended.workspace,
  translator: ended.translator,
  content: html`<div class="mark ${mark}">${icons[mark]}</div>
    <h1>${ended.translator.markup(title)}</h1>
    ${lines.map((line) => html`<p class="lead">${ended.translator.markup(line)}</p>`)} ${returnLink(ended)}`,
});

const returnLink = ({ returnUrl, workspace, translator }: EndedSession): Markup =>
  returnUrl === null
    ? html`<p class="note">${translator.markup('closePage')}</p>`
    : html`<div class="after">
        <a class="button" href="${returnUrl}"
          >${translator.markup('backTo', { who: isolateName(nameOf(workspace)) })}</a
        >
      </div>`;
