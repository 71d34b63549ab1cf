import type { PlatformName, Account } from '../world.js';
import { SANDBOX_CLIENT } from '../oauth/client.js';
import { SCOPES } from '../oauth/scopes.js';
import { layout, PLATFORM_TITLES, type Markup, html } from './layout.js';

interface AuthorizePageOptions {
  readonly platform: PlatformName;
  readonly accounts: readonly Account[];
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly request: string;
  readonly csrf: string;
}

export function authorizePage({
  platform,
  accounts,
  scopes,
  redirectUri,
  request,
  csrf,
}: AuthorizePageOptions): Markup {
  const site = PLATFORM_TITLES[platform];
  const kind = platform === 'store' ? 'shop' : 'account';
  return layout({
    title: `Allow ${SANDBOX_CLIENT.name}?`,
    platform,
    narrow: true,
    content: html`<form class="card consent" method="post" action="/${platform}/oauth/authorize">
      <input type="hidden" name="request" value="${request}" />
      <input type="hidden" name="csrf" value="${csrf}" />
      <div class="pair" aria-hidden="true">
        <img src="/_assets/sandbox.svg" alt="" width="56" height="56" /><span class="wire"></span
        ><img src="/_assets/${platform}.svg" alt="" width="56" height="56" />
      </div>
      <h1><strong>${SANDBOX_CLIENT.name}</strong> wants to use your ${kind} on ${site}</h1>
      <fieldset>
        <legend>Which ${kind}?</legend>
        ${accounts.map((account, index) => accountChoice(platform, account, html`<input type="radio" name="account" value="${account.id}" required ${index === 0 && html`checked`} />`))}
      </fieldset>
      ${platform === 'social' && otherAccountsList(platform, accounts)}
      <fieldset>
        <legend>This app will be able to</legend>
        <ul class="permissions">
          ${scopes.map((scope) => permission(platform, scope))}
        </ul>
      </fieldset>
      <div class="actions">
        <button class="plain" name="decision" value="deny">Deny</button>
        <button class="primary" name="decision" value="approve_selected">Approve</button>
      </div>
      <p class="quiet small">
        You will be sent back to <strong>${new URL(redirectUri).host}</strong>. You can revoke this at any
        time.
      </p>
    </form>`,
  });
}

const accountChoice = (platform: PlatformName, { id, name, username }: Account, input: Markup): Markup =>
  html`<label class="choice">
    ${input}
    <img class="avatar" src="/${platform}/avatars/${id}.svg" alt="" width="40" height="40" />
    <span class="who"
      ><strong>${name}</strong
      ><span class="quiet">${platform === 'social' ? `@${username}` : `${id}.example`}</span></span
    >
  </label>`;

/**
 * Simulates a user who manages several pages or channels: the app learns all of them, and each has a token of
 * its own.
 */
const otherAccountsList = (platform: PlatformName, accounts: readonly Account[]): Markup =>
  html`<details>
    <summary>One login for several accounts</summary>
    <fieldset>
      <legend>Accounts included in this login</legend>
      ${accounts.map((account) => accountChoice(platform, account, html`<input type="checkbox" name="also" value="${account.id}" />`))}
    </fieldset>
  </details>`;

/** A connection requires the profile scope, so it cannot be deselected. */
function permission(platform: PlatformName, scope: string): Markup {
  const always = scope === 'profile';
  return html`<li>
    <label>
      <input type="checkbox" name="scope" value="${scope}" checked ${always && html`disabled`} />
      <span>${SCOPES[platform][scope]}${always && html` <span class="quiet">(always)</span>`}</span>
    </label>
  </li>`;
}
