import type { Connection, ConnectErrorCode, ConnectSession } from '@switchboard/domain/connections';
import type { Profile } from '@switchboard/domain/profiles';
import type { Workspace } from '@switchboard/domain/workspaces';
import type { PlainTextKey } from '../texts/texts.js';
import type { Translator } from '../texts/translator.js';
import { accountCard } from './account-card.js';
import { isolateName } from './isolate-name.js';
import { html, type Markup } from './html.js';
import { icons } from './icons.js';
import { nameOf, namesOf, type Page } from './page.js';

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

/** The outcome of a session; the same page whenever its link is opened again. */
export function resultPage(ended: EndedSession): Page {
  switch (ended.session.status) {
    case 'connected':
      return connected(ended);
    case 'cancelled':
      return resultNotice(ended, 200, 'neutral', 'cancelled', ['nothingConnected', 'changeYourMind']);
    case 'expired':
      return resultNotice(ended, 410, 'neutral', 'expired', ['expiredWhy']);
    case 'failed':
      return failed(ended);
    case 'pending':
      throw new Error('a pending session has no result');
  }
}

function connected(ended: EndedSession): Page {
  const { workspace, connections, platformNames, translator } = ended;
  return {
    status: 200,
    title: translator.text('connected'),
    brand: workspace,
    translator,
    content: html`<div class="mark good">${icons.good}</div>
      <h1>${translator.markup('connected')}</h1>
      <p class="lead">${translator.markup('canUseThis', namesOf(ended, translator))}</p>
      ${connections.map((connection) =>
        accountCard(connection, platformNames.get(connection.platform) ?? connection.platform),
      )}
      ${returnLink(ended)}`,
  };
}

const reasons: Readonly<Record<ConnectErrorCode, readonly [PlainTextKey, ...PlainTextKey[]]>> = {
  denied: ['denied'],
  wrong_account: ['wrongAccount', 'rightAccount'],
  nothing_to_choose: ['nothingToChoose'],
  account_unreadable: ['accountUnreadable'],
  exchange_failed: ['notFinished'],
  expired: ['tookTooLong'],
};

/** The reason why a login failed, in one sentence. */
export const reasonOf = (code: ConnectErrorCode): PlainTextKey => reasons[code][0];

function failed(ended: EndedSession): Page {
  const lines = reasons[ended.session.error?.code ?? 'exchange_failed'];
  return resultNotice(ended, 410, 'bad', 'notConnected', [...lines, 'askForNewLink']);
}

const resultNotice = (
  ended: EndedSession,
  status: number,
  mark: 'neutral' | 'bad',
  title: PlainTextKey,
  lines: readonly PlainTextKey[],
): Page => ({
  status,
  title: ended.translator.text(title),
  brand: ended.workspace,
  translator: ended.translator,
  content: html`<div class="mark ${mark}">${icons[mark]}</div>
    <h1>${ended.translator.markup(title)}</h1>
    ${lines.map((line) => html`<p class="lead">${ended.translator.markup(line)}</p>`)} ${returnLink(ended)}`,
});

function returnLink({ returnUrl, workspace, translator }: EndedSession): Markup {
  if (returnUrl === null) return html`<p class="note">${translator.markup('closePage')}</p>`;
  const name = nameOf(workspace);
  return html`<div class="after">
    <a class="button" href="${returnUrl}"
      >${name === null ? translator.markup('goBack') : translator.markup('backTo', { who: isolateName(name) })}</a
    >
  </div>`;
}
