import type { Connection, ConnectErrorCode, ConnectSession, Profile, Workspace } from '@switchboard/domain';
import type { TextKey } from '../texts/texts.js';
import type { Words } from '../texts/words.js';
import { accountCard } from './account-card.js';
import { foreign } from './foreign.js';
import { html, type Markup } from './html.js';
import { icons } from './icons.js';
import { nameOf, type Page } from './page.js';

/** How a session ended, with what is needed to say it to a person. */
export interface Ended {
  readonly session: ConnectSession;
  readonly workspace: Workspace;
  readonly profile: Profile;
  readonly connections: readonly Connection[];
  /** By id, for the platforms of the session and of its connections. */
  readonly platformNames: ReadonlyMap<string, string>;
  /** Where the person came from, with what happened in the query. */
  readonly back: string | null;
  readonly words: Words;
}

/** `fresh`: it has ended just now. Otherwise somebody came back to a link that is over. */
export function resultPage(ended: Ended, fresh: boolean): Page {
  switch (ended.session.status) {
    case 'connected':
      return connected(ended, fresh);
    case 'cancelled':
      return page(ended, fresh ? 200 : 410, 'neutral', 'cancelled', [
        fresh ? 'nothingConnected' : 'linkWasCancelled',
        'changeYourMind',
      ]);
    case 'expired':
      return page(ended, 410, 'neutral', 'expired', ['expiredWhy']);
    case 'failed':
      return failed(ended, fresh);
    case 'pending':
      throw new Error('a session that is pending has no result');
  }
}

function connected(ended: Ended, fresh: boolean): Page {
  const { workspace, profile, connections, platformNames, words } = ended;
  const title = fresh ? 'connected' : 'alreadyConnected';
  const names = { who: foreign(nameOf(workspace)), profile: foreign(profile.name) };
  const line = !fresh
    ? words.say('linkDidItsWork', { profile: names.profile })
    : words.say(connections.length > 1 ? 'canUseThis' : 'canUseNow', names);
  return {
    status: fresh ? 200 : 410,
    title: words.text(title),
    brand: workspace,
    words,
    content: html`<div class="mark good">${icons.good}</div>
      <h1>${words.say(title)}</h1>
      <p class="lead">${line}</p>
      ${connections.map((connection) =>
        accountCard(connection, platformNames.get(connection.platform) ?? connection.platform),
      )}
      ${wayBack(ended)}`,
  };
}

type Line =
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
  Record<ConnectErrorCode, { readonly status: number; readonly lines: readonly [Line, ...Line[]] }>
> = {
  denied: { status: 422, lines: ['denied'] },
  wrong_account: { status: 422, lines: ['wrongAccount', 'rightAccount'] },
  nothing_to_choose: { status: 422, lines: ['nothingToChoose'] },
  account_unreadable: { status: 502, lines: ['accountUnreadable'] },
  exchange_failed: { status: 502, lines: ['notFinished'] },
  expired: { status: 410, lines: ['tookTooLong'] },
};

/** What a login came to nothing for, in one sentence. */
export const reasonOf = (code: ConnectErrorCode): Line => reasons[code].lines[0];

function failed(ended: Ended, fresh: boolean): Page {
  const { status, lines } = reasons[ended.session.error?.code ?? 'exchange_failed'];
  return page(ended, fresh ? status : 410, 'bad', 'notConnected', [...lines, 'askForNewLink']);
}

const page = (
  ended: Ended,
  status: number,
  mark: 'neutral' | 'bad',
  title: TextKey & ('cancelled' | 'expired' | 'notConnected'),
  lines: readonly Line[],
): Page => ({
  status,
  title: ended.words.text(title),
  brand: ended.workspace,
  words: ended.words,
  content: html`<div class="mark ${mark}">${icons[mark]}</div>
    <h1>${ended.words.say(title)}</h1>
    ${lines.map((line) => html`<p class="lead">${ended.words.say(line)}</p>`)} ${wayBack(ended)}`,
});

const wayBack = ({ back, workspace, words }: Ended): Markup =>
  back === null
    ? html`<p class="note">${words.say('closePage')}</p>`
    : html`<div class="after">
        <a class="button" href="${back}">${words.say('backTo', { who: foreign(nameOf(workspace)) })}</a>
      </div>`;
