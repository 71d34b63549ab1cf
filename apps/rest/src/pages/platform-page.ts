import {
  endsWithForm,
  type ConnectField,
  type ConnectWay,
  type Failure,
  type FailureCode,
  type OpenConnect,
  type PlatformFacts,
} from '@switchboard/domain';
import type { Words } from '../texts/words.js';
import { allowed, ownWords } from './allowed.js';
import { cancelForm } from './cancel-form.js';
import { field, wrongKeyOf } from './field.js';
import { foreign, plain } from './foreign.js';
import type { Forms } from './forms.js';
import { html, type Markup } from './html.js';
import { icons } from './icons.js';
import { nameOf, type Page } from './page.js';

/** What was tried last and why it did not work, to be shown with what was typed. */
export interface Attempt {
  readonly way: string;
  readonly answers: Readonly<Record<string, string>>;
  readonly failure: Pick<Failure, 'code' | 'message' | 'problems' | 'platform'>;
  readonly status: number;
}

/** One platform: what will be allowed, what has to be asked first, and the way there. */
export function platformPage(
  { session, workspace, profile, platforms }: OpenConnect,
  facts: PlatformFacts,
  forms: Forms,
  words: Words,
  attempt: Attempt | null,
): Page {
  const { manifest, ways } = facts;
  // What was tried comes first the next time, with what was typed; what has been read already is folded away.
  const tried = ways.find(({ id }) => id === attempt?.way);
  const first = tried ?? ways[0];
  const others = ways.filter((way) => way !== first);
  const again = session.reconnects !== null;
  const platform = manifest.name;
  const title = words.text(again ? 'connectPlatformAgain' : 'connectPlatform', { platform });
  const names = { platform, who: foreign(nameOf(workspace)), profile: foreign(profile.name) };
  const mayDo = words.say('whatItMayDo', { who: names.who });
  return {
    status: attempt?.status ?? 200,
    title: attempt ? words.text('errorTitle', { title }) : title,
    brand: workspace,
    formTargets: forms.targets,
    words,
    content: html`<h1>${title}</h1>
      <p class="lead">${words.say(again ? 'asksToUseAgain' : 'asksToUse', names)}</p>
      ${attempt && alert(attempt, words)}
      ${
        attempt
          ? html`<details>
              <summary>${mayDo}</summary>
              ${permissions(facts, words)}
            </details>`
          : html`<h2>${mayDo}</h2>
              ${permissions(facts, words)}`
      }
      ${wayForm(facts, first, forms, words, attempt)}
      ${others.map(
        (way) =>
          html`<details class="other">
            <summary>${labelOf(way, facts, words)}</summary>
            ${wayForm(facts, way, forms, words, null)}
          </details>`,
      )}
      <div class="after">
        ${
          platforms.length > 1 &&
          html`<a class="button quiet" href="${forms.path}">${words.say('otherPlatform')}</a>`
        }
        ${cancelForm(forms, words)}
      </div>
      <p class="until">
        ${words.say('worksUntil', { time: words.time(session.expiresAt, profile.timezone) })}
      </p>`,
  };
}

function permissions(facts: PlatformFacts, words: Words): Markup {
  const own = ownWords(facts);
  return html`<ul class="allowed">
      ${allowed(facts, words).map((line) => html`<li>${icons.tick}<span>${line}</span></li>`)}
    </ul>
    ${
      own.length > 0 &&
      html`<details class="words">
        <summary>${words.say('inItsOwnWords', { platform: facts.manifest.name })}</summary>
        <ul>
          ${own.map((word) => html`<li><code>${word}</code></li>`)}
        </ul>
      </details>`
    }`;
}

/** The platform's own words are English. */
function labelOf(way: ConnectWay, facts: PlatformFacts, words: Words): Markup {
  if (words.language === 'en') return html`${way.label}`;
  return endsWithForm(way)
    ? words.say('otherWay')
    : words.say('continueTo', { platform: whereOf(way, facts) });
}

/** Where its owner logs in. */
const whereOf = ({ id }: ConnectWay, { manifest, homes }: PlatformFacts): string =>
  (homes.get(id) ?? manifest).name;

function wayForm(
  facts: PlatformFacts,
  way: ConnectWay,
  forms: Forms,
  words: Words,
  attempt: Attempt | null,
): Markup {
  const { id, name: platform } = facts.manifest;
  const away = !endsWithForm(way);
  const wrong = new Map(way.fields.map((asked) => [asked.name, wrongOf(asked, attempt, words)]));
  const first = way.fields.find(({ name }) => wrong.get(name) !== null)?.name;
  return html`<form method="post" action="${forms.path}/begin" novalidate>
    <input type="hidden" name="csrf" value="${forms.csrf}" /><input
      type="hidden"
      name="platform"
      value="${id}"
    /><input type="hidden" name="way" value="${way.id}" />
    ${way.fields.map((asked) =>
      field(
        asked,
        {
          prefix: way.id,
          platformName: platform,
          value: attempt?.answers[asked.name] ?? '',
          wrong: wrong.get(asked.name) ?? null,
          first: asked.name === first,
        },
        words,
      ),
    )}
    <button>${away ? labelOf(way, facts, words) : words.say('connect')}</button>
    ${away && html`<p class="note">${words.say('signInThere', { platform: whereOf(way, facts) })}</p>`}
  </form>`;
}

/** What is wrong with one answer; in English in the words of whoever found out. */
function wrongOf({ name, kind }: ConnectField, attempt: Attempt | null, words: Words): string | null {
  const problem = attempt?.failure.problems?.find(({ path }) => path === name);
  if (!problem) return null;
  if (problem.code === 'field.required') return words.text('fillIn');
  return words.language === 'en' ? sentence(problem.message) : words.text(wrongKeyOf(kind));
}

/** `must be…` reads as a sentence when it stands alone below its field. */
const sentence = (message: string) => (/^(is|must|has) /.test(message) ? `This ${message}.` : message);

const alert = ({ failure }: Attempt, words: Words): Markup =>
  html`<div class="alert" role="alert">
    <p>
      <strong>${words.say('didNotWork')}</strong>
      ${words.language === 'en' ? failure.message : words.say(alertKeyOf(failure.code))}
    </p>
    ${
      failure.platform &&
      html`<p>
        ${words.say('platformSays', { platform: failure.platform.name })}
        <q>${plain(failure.platform.message)}</q>
      </p>`
    }
  </div>`;

function alertKeyOf(code: FailureCode) {
  switch (code) {
    case 'connect.answer_invalid':
      return 'answerWrong';
    case 'connect.wrong_account':
      return 'wrongAccount';
    case 'connect.nothing_to_choose':
      return 'nothingToChoose';
    case 'platform.not_configured':
      return 'notConfigured';
    case 'platform.not_found':
      return 'notHere';
    case 'platform.address_refused':
      return 'addressRefused';
    case 'platform.invalid_response':
      return 'accountUnreadable';
    case 'platform.unavailable':
      return 'notReached';
    default:
      return 'wentWrong';
  }
}
