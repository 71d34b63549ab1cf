import { type Fault, type FaultKind, FAULT_KINDS } from '../faults.js';
import type { LedgerEntry } from '../ledger.js';
import type { Settings } from '../settings.js';
import { html, layout, table, type Markup, type MarkupPart } from './layout.js';
import { accountForms, settingsForm } from './control-forms.js';

const FAULT_DESCRIPTIONS: Readonly<Record<FaultKind, readonly [title: string, story: string]>> = {
  delay: ['Slow', 'Delayed response. The effect happens after the delay.'],
  'delay-after-effect': ['Slow after the effect', 'The effect happens at once; the response is delayed.'],
  hang: ['Hang, no effect', 'No response and no effect.'],
  'hang-after-effect': ['Hang, effect', 'The effect happens; no response is sent.'],
  'reset-before-effect': [
    'Connection reset, no effect',
    'The connection closes after the request was read. No effect.',
  ],
  'reset-after-effect': [
    'Connection reset, effect',
    'The effect happens, then the connection closes before the response.',
  ],
  '500-before': ['Server error, no effect', 'A 500 response without an effect.'],
  '500-after': ['Server error, effect', 'A 500 response although the effect happened.'],
  '2xx-truncated': ['Truncated response', 'The effect happens; the response ends in the middle.'],
  '2xx-no-id': ['Response without ID', 'The effect happens; the response does not contain the created ID.'],
  '429': ['Too many requests', 'Rejected with 429 and Retry-After. No effect.'],
  '403': ['Forbidden', 'Rejected with 403: the owner did not grant the permission. No effect.'],
  garbage: ['Garbage', 'The effect happens; the response claims to be JSON but is not.'],
  'slow-drip': ['Drip', 'A correct response, one byte at a time.'],
  huge: ['Huge', 'A correct response after 64 MiB of padding.'],
  redirect: ['Redirect', 'A 307 redirect to another origin. No effect.'],
  'strange-words': ['Replaced text', 'The effect happens; free-text fields of the response are replaced.'],
};

/** The targets of a fault with their labels; the control endpoint parses the values. */
const TARGETS: readonly (readonly [value: string, label: string])[] = [
  ['social POST /api/posts', 'Publishing a post'],
  ['social POST /api/media', 'Uploading an image, video or document'],
  ['social DELETE /api/posts', 'Deleting a post'],
  ['social GET /api', 'Reading posts and insights'],
  ['social POST /oauth/token', 'Tokens of Sandbox Social'],
  ['store POST /api/orders', 'Refunding'],
  ['store GET /api/orders', 'Reading orders and refunds'],
  ['store POST /oauth/token', 'Tokens of Sandbox Store'],
];

interface HomePageOptions {
  readonly notice: string | undefined;
  readonly now: Date;
  readonly faults: readonly Fault[];
  readonly settings: Settings;
  readonly latest: readonly LedgerEntry[];
}

export function homePage({ notice, now, faults, settings, latest }: HomePageOptions): Markup {
  return layout({
    title: 'Sandbox',
    content: html`${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`}
      <h1>Sandbox platforms</h1>
      <p class="quiet">
        Connect them like any other platform, then enable faults and observe the effect on a post or a refund.
        The ledger at the end of this page lists every effect that happened: one entry per effect.
      </p>
      <div class="doors">
        ${linkTile('/social/feed', 'social', 'Sandbox Social', 'The feed where posts appear.')}
        ${linkTile('/store/orders', 'store', 'Sandbox Store', 'Orders of three shops, and their refunds.')}
      </div>
      <h2 id="faults">Faults</h2>
      ${faults.length > 0 && activeFaultList(faults)}
      <div class="switches">${FAULT_KINDS.map(faultForm)}</div>
      <h2>Accounts and time</h2>
      <div class="switches">${accountForms(now)}</div>
      <h2>Behavior</h2>
      ${settingsForm(settings)}
      <h2 id="ledger">Ledger</h2>
      ${ledgerTable(latest)}`,
  });
}

function linkTile(href: string, icon: string, title: string, text: string): MarkupPart {
  return html`<a class="card door" href="${href}"
    ><img src="/_assets/${icon}.svg" alt="" width="48" height="48" />
    <span
      ><strong>${title}</strong>
      <p class="quiet">${text}</p></span
    ></a
  >`;
}

function activeFaultList(faults: readonly Fault[]): MarkupPart {
  return html`<ul class="card lines spaced" aria-label="Enabled faults">
    ${faults.map(
      (fault) =>
        html`<li>
          <span
            ><strong>${FAULT_DESCRIPTIONS[fault.kind][0]}</strong>
            <code>${fault.match.method ?? 'any'} /${fault.platform}${fault.match.path_prefix ?? ''}</code>
            <span class="quiet"
              >${fault.remaining === null ? 'until cleared' : `${fault.remaining} more`}</span
            ></span
          >
          <form method="post" action="/_control/faults/clear">
            <input type="hidden" name="id" value="${fault.id}" /><button>Clear</button>
          </form>
        </li>`,
    )}
  </ul>`;
}

function faultForm(kind: FaultKind): MarkupPart {
  const [title, story] = FAULT_DESCRIPTIONS[kind];
  return html`<form class="card switch" method="post" action="/_control/faults">
    <h3>${title} <code class="quiet">${kind}</code></h3>
    <p class="quiet">${story}</p>
    <input type="hidden" name="kind" value="${kind}" />
    <div class="fields">
      <label class="whole"
        >Applies to
        <select name="target">
          ${TARGETS.map(([value, label]) => html`<option value="${value}">${label}</option>`)}
        </select></label
      >
      <label
        >How often
        <select name="times">
          <option value="1">Once</option>
          <option value="3">3 times</option>
          <option value="10">10 times</option>
          <option value="always">Until cleared</option>
        </select></label
      >
      ${(kind === 'delay' || kind === 'delay-after-effect') && html`<label>Milliseconds <input type="number" name="delay_ms" value="2000" min="0" max="600000" /></label>`}
      ${kind === 'slow-drip' && html`<label>Milliseconds per byte <input type="number" name="delay_ms" value="250" min="0" max="600000" /></label>`}
      ${kind === '429' && html`<label>Retry after, seconds <input type="number" name="retry_after" value="2" min="0" max="86400" /></label>`}
    </div>
    <button>Enable</button>
  </form>`;
}

function ledgerTable(latest: readonly LedgerEntry[]): MarkupPart {
  if (latest.length === 0) return html`<p class="quiet">No effects yet.</p>`;
  const rows = latest.map(
    ({ seq, at, effect, account, reference }) =>
      html`<tr>
        <td>${seq}</td>
        <td><time datetime="${at}">${at.slice(0, 19).replace('T', ' ')}</time></td>
        <td>${effect}</td>
        <td>${account}</td>
        <td><code>${reference ?? '–'}</code></td>
      </tr>`,
  );
  const columns = ['No.', 'Time', 'Effect', 'Account', 'Reference'];
  return html`<div class="card scroll">${table(columns, rows)}</div>`;
}
