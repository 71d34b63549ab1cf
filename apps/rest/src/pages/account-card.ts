import type { Connection } from '@switchboard/domain/connections';
import { isolateName, sanitizeName } from './isolate-name.js';
import { platformTile } from './icons.js';
import { html, type Markup } from './html.js';

/** A connected account, as its owner knows it. */
export const accountCard = (
  {
    account,
    platform,
  }: Pick<Connection, 'platform'> & {
    readonly account: Pick<Connection['account'], 'id' | 'name' | 'username'>;
  },
  platformName: string,
): Markup =>
  html`<div class="account">
    ${platformTile(platform, platformName)}
    <div>
      <strong>${isolateName(account.name ?? account.username ?? account.id)}</strong>
      <span class="what"
        >${platformName}${account.username !== null && html` · <bdi>@${sanitizeName(account.username)}</bdi>`}</span
      >
    </div>
  </div>`;
