import type { Connection, ConnectErrorCode, ConnectSession, Profile, Workspace } from '@switchboard/domain';
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
}

/** `fresh`: it has ended just now. Otherwise somebody came back to a link that is over. */
export function resultPage(ended: Ended, fresh: boolean): Page {
  switch (ended.session.status) {
    case 'connected':
      return connected(ended, fresh);
    case 'cancelled':
      return page(ended, fresh ? 200 : 410, 'neutral', 'Cancelled', [
        fresh ? 'Nothing was connected.' : 'This link was cancelled, and nothing was connected.',
        'If you change your mind, ask for a new link.',
      ]);
    case 'expired':
      return page(ended, 410, 'neutral', 'This link has expired', [
        'For your safety a link works for a limited time only. Ask for a new one where you got it.',
      ]);
    case 'failed':
      return failed(ended, fresh);
    case 'pending':
      throw new Error('a session that is pending has no result');
  }
}

function connected(ended: Ended, fresh: boolean): Page {
  const { workspace, profile, connections, platformNames } = ended;
  const lines = fresh
    ? html`<p class="lead">${foreign(nameOf(workspace))} can use it for ${foreign(profile.name)} now.</p>`
    : html`<p class="lead">
        This link has done its work: the account is connected for ${foreign(profile.name)}. A link works once.
      </p>`;
  const accounts = connections.map((connection) =>
    accountCard(connection, platformNames.get(connection.platform) ?? connection.platform),
  );
  return {
    status: fresh ? 200 : 410,
    title: fresh ? 'Connected' : 'Already connected',
    brand: workspace,
    content: html`<div class="mark good">${icons.good}</div>
      <h1>${fresh ? 'Connected' : 'Already connected'}</h1>
      ${lines} ${accounts} ${wayBack(ended)}`,
  };
}

const reasons: Readonly<
  Record<ConnectErrorCode, { readonly status: number; readonly lines: readonly string[] }>
> = {
  denied: {
    status: 422,
    lines: ['You did not agree at the platform, so nothing was connected and nothing was given away.'],
  },
  wrong_account: {
    status: 422,
    lines: [
      'You signed in to another account than the one that is to be connected again.',
      'Sign in to the right account at the platform, then use a new link.',
    ],
  },
  nothing_to_choose: {
    status: 422,
    lines: ['This login has no account that could be connected. Perhaps another login of yours has.'],
  },
  exchange_failed: {
    status: 502,
    lines: ['The platform did not finish the connection. Wait a moment, then use a new link.'],
  },
  expired: { status: 410, lines: ['It took too long. Use a new link.'] },
};

export const reasonLines = (code: ConnectErrorCode): readonly string[] => reasons[code].lines;

function failed(ended: Ended, fresh: boolean): Page {
  const { status, lines } = reasons[ended.session.error?.code ?? 'exchange_failed'];
  const last = fresh ? [] : ['This link is over. Ask for a new one where you got it.'];
  return page(ended, fresh ? status : 410, 'bad', 'Not connected', [...lines, ...last]);
}

const page = (
  ended: Ended,
  status: number,
  mark: 'neutral' | 'bad',
  title: string,
  lines: readonly string[],
): Page => ({
  status,
  title,
  brand: ended.workspace,
  content: html`<div class="mark ${mark}">${icons[mark]}</div>
    <h1>${title}</h1>
    ${lines.map((line) => html`<p class="lead">${line}</p>`)} ${wayBack(ended)}`,
});

const wayBack = ({ back, workspace }: Ended): Markup =>
  back === null
    ? html`<p class="note">You can close this page.</p>`
    : html`<div class="after">
        <a class="button" href="${back}">Back to ${foreign(nameOf(workspace))}</a>
      </div>`;
