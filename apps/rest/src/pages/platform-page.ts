import {
  endsWithForm,
  type ConnectWay,
  type Failure,
  type OpenConnect,
  type PlatformFacts,
} from '@switchboard/domain';
import { allowed, ownWords } from './allowed.js';
import { cancelForm } from './cancel-form.js';
import { field } from './field.js';
import type { Forms } from './forms.js';
import { foreign, plain } from './foreign.js';
import { html, type Markup } from './html.js';
import { icons } from './icons.js';
import { nameOf, type Page } from './page.js';

/** What was tried last and why it did not work, to be shown with what was typed. */
export interface Attempt {
  readonly way: string;
  readonly answers: Readonly<Record<string, string>>;
  readonly failure: Pick<Failure, 'message' | 'problems' | 'platform'>;
  readonly status: number;
}

/** One platform: what will be allowed, what has to be asked first, and the way there. */
export function platformPage(
  { session, workspace, profile, platforms }: OpenConnect,
  facts: PlatformFacts,
  forms: Forms,
  attempt: Attempt | null,
): Page {
  const { manifest } = facts;
  // What was tried comes first the next time, with what was typed; what has been read already is folded away.
  const tried = manifest.connect.find(({ id }) => id === attempt?.way);
  const first = tried ?? manifest.connect[0];
  const others = manifest.connect.filter((way) => way !== first);
  const who = foreign(nameOf(workspace));
  const again = session.reconnects === null ? '' : ' again';
  const title = `Connect ${manifest.name}${again}`;
  return {
    status: attempt?.status ?? 200,
    title: attempt ? `Error: ${title}` : title,
    brand: workspace,
    formTargets: forms.targets,
    content: html`<h1>${title}</h1>
      <p class="lead">
        ${who} asks to use ${again === '' ? 'your' : 'the same'} ${manifest.name} account for
        ${foreign(profile.name)}.
      </p>
      ${attempt && alert(attempt)}
      ${
        attempt
          ? html`<details>
              <summary>What ${who} will be able to do</summary>
              ${permissions(facts)}
            </details>`
          : html`<h2>What ${who} will be able to do</h2>
              ${permissions(facts)}`
      }
      ${wayForm(facts, first, forms, attempt)}
      ${others.map(
        (way) =>
          html`<details class="other">
            <summary>${way.label}</summary>
            ${wayForm(facts, way, forms, null)}
          </details>`,
      )}
      <div class="after">
        ${platforms.length > 1 && html`<a class="button quiet" href="${forms.path}">Choose another platform</a>`}
        ${cancelForm(forms)}
      </div>`,
  };
}

function permissions(facts: PlatformFacts): Markup {
  const words = ownWords(facts);
  return html`<ul class="allowed">
      ${allowed(facts).map((line) => html`<li>${icons.tick}<span>${line}</span></li>`)}
    </ul>
    ${
      words.length > 0 &&
      html`<details class="words">
        <summary>As ${facts.manifest.name} calls it</summary>
        <ul>
          ${words.map((word) => html`<li><code>${word}</code></li>`)}
        </ul>
      </details>`
    }`;
}

function wayForm(
  { manifest }: PlatformFacts,
  way: ConnectWay,
  forms: Forms,
  attempt: Attempt | null,
): Markup {
  const away = !endsWithForm(way);
  const wrong = (name: string) =>
    attempt?.failure.problems?.find(({ path }) => path === name)?.message ?? null;
  return html`<form method="post" action="${forms.path}/begin">
    <input type="hidden" name="csrf" value="${forms.csrf}" /><input
      type="hidden"
      name="platform"
      value="${manifest.id}"
    /><input type="hidden" name="way" value="${way.id}" />
    ${way.fields.map((one) => field(one, way.id, attempt?.answers[one.name] ?? '', sentence(wrong(one.name))))}
    <button>${away ? way.label : 'Connect'}</button>
    ${away && html`<p class="note">You sign in at ${manifest.name} and agree there. Your password stays between you and ${manifest.name}.</p>`}
  </form>`;
}

/** `is needed` reads as a sentence when it stands alone below its field. */
const sentence = (message: string | null) =>
  message === null ? null : /^(is|must|has) /.test(message) ? `This ${message}.` : message;

const alert = ({ failure }: Attempt): Markup =>
  html`<div class="alert" role="alert">
    <p><strong>That did not work.</strong> ${failure.message}</p>
    ${failure.platform && html`<p>${failure.platform.name} says: <q>${plain(failure.platform.message)}</q></p>`}
  </div>`;
