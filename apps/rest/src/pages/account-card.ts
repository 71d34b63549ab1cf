import type { Connection } from '@switchboard/domain/connections';
import { isolateName, sanitizeName } from './isolate-name.js';
import { html, type Markup } from './html.js';

/** A connected account, as its owner knows it. */
export const accountCard = ({ account }: Connection, platformName: string): Markup =>
  html`<div class="account">
    <span class="tile" aria-hidden="true">${platformName.charAt(0)}</span>
    <div>
      <strong>${isolateName(account.name ?? account.username ?? account.id)}</strong>
      <span class="what"
        >${platformName}${account.username !== null && html` · <bdi>@${sanitizeName(account.username)}</bdi>`}</span
      >
    </div>
  </div>`;
