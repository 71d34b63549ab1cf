import type { Settings } from '../settings.js';
import { SOCIAL_ACCOUNTS } from '../social/accounts.js';
import { SHOPS } from '../store/shops.js';
import { type MarkupPart, html } from './layout.js';

const options = [...SOCIAL_ACCOUNTS, ...SHOPS].map(
  ({ id, name }) => html`<option value="${id}">${name}</option>`,
);

export function accountForms(now: Date): MarkupPart {
  return html`<form class="card switch" method="post" action="/_control/tokens/expire">
      <h3>Expire access tokens</h3>
      <p class="quiet">Access tokens expire immediately; the next call must refresh.</p>
      <div class="fields">
        <label
          >Account
          <select name="account">
            <option value="">All</option>
            ${options}
          </select></label
        >
      </div>
      <button>Expire</button>
    </form>
    <form class="card switch" method="post" action="/_control/grants/revoke">
      <h3>Remove the app</h3>
      <p class="quiet">Revokes the grant: access and refresh tokens become invalid.</p>
      <div class="fields">
        <label
          >Account
          <select name="account">
            ${options}
          </select></label
        >
      </div>
      <button>Revoke</button>
    </form>
    <form class="card switch" method="post" action="/_control/clock">
      <h3>Move the clock</h3>
      <p class="quiet">
        Moves the sandbox’s own clock only. It shows
        <time datetime="${now.toISOString()}">${now.toISOString().slice(0, 19).replace('T', ' ')}</time> UTC.
      </p>
      <div class="fields">
        <label
          >By
          <select name="advance_seconds">
            <option value="3600">an hour</option>
            <option value="86400">a day</option>
            <option value="604800">a week</option>
            <option value="">back to real time</option>
          </select></label
        >
      </div>
      <button>Move</button>
    </form>`;
}

export function settingsForm(settings: Settings): MarkupPart {
  const choice = (value: string, label: string, current: string) =>
    html`<option value="${value}" ${value === current && html`selected`}>${label}</option>`;
  return html`<form class="card switch" method="post" action="/_control/settings">
    <div class="fields">
      <label
        >Access token lifetime, seconds
        <input type="number" name="access_token_seconds" min="1" value="${settings.access_token_seconds}"
      /></label>
      <label
        >Refresh tokens
        <select name="refresh_tokens">
          ${choice('rotating', 'Rotating', settings.refresh_tokens)}
          ${choice('fixed', 'Fixed', settings.refresh_tokens)}
          ${choice('none', 'None', settings.refresh_tokens)}
        </select>
      </label>
      <label
        >Posts per day and account
        <input type="number" name="posts_per_day" min="0" value="${settings.posts_per_day}"
      /></label>
      <label
        >Post URL available after, seconds
        <input type="number" name="post_url_after_seconds" min="0" value="${settings.post_url_after_seconds}"
      /></label>
      <label
        >Refund settles after, seconds
        <input type="number" name="refund_settle_seconds" min="0" value="${settings.refund_settle_seconds}"
      /></label>
      <label
        >Refund settles as
        <select name="refund_settle_outcome">
          ${choice('succeeded', 'Succeeded', settings.refund_settle_outcome)}
          ${choice('failed', 'Failed', settings.refund_settle_outcome)}
        </select>
      </label>
      <label
        >Over-refund
        <select name="lax_over_refund">
          ${choice('false', 'Always rejected', String(settings.lax_over_refund))}
          ${choice('true', 'Tolerated when concurrent', String(settings.lax_over_refund))}
        </select>
      </label>
    </div>
    <button>Save</button>
  </form>`;
}
