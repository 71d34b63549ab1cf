import type { OpenChoice, OpenConnect } from '@switchboard/domain';
import type { Words } from '../texts/words.js';
import { foreign, plain } from './foreign.js';
import type { Forms } from './forms.js';
import { html, type Markup } from './html.js';
import { nameOf, type Page } from './page.js';

/** A login opened several accounts: which of them? `tried` is what was chosen when that could not be taken. */
export function accountsPage(
  { workspace, profile }: OpenConnect,
  choice: OpenChoice,
  forms: Forms,
  words: Words,
  tried: readonly string[] | null = null,
): Page {
  const { name: platform } = choice.platform.manifest;
  const title = words.text('whichAccounts');
  const names = { platform, who: foreign(nameOf(workspace)), profile: foreign(profile.name) };
  const wrong = tried && wrongOf(tried, choice.atMost, words);
  return {
    status: wrong === null ? 200 : 422,
    title: wrong === null ? title : words.text('errorTitle', { title }),
    brand: workspace,
    formTargets: forms.targets,
    words,
    content: html`<h1>${title}</h1>
      <p class="lead">${words.say('opensSeveral', names)}</p>
      ${wrong && html`<div class="alert" role="alert" id="accounts-wrong"><p>${wrong}</p></div>`}
      <form method="post" action="${forms.path}/choose">
        <input type="hidden" name="csrf" value="${forms.csrf}" /><input
          type="hidden"
          name="choice"
          value="${choice.id}"
        />
        <fieldset${wrong && html` aria-describedby="accounts-wrong"`}>
          <legend>${words.say('accountsAt', { platform })}</legend>
          <ul class="accounts">
            ${choice.accounts.map((one, index) => account(one, index, choice.atMost, tried, words))}
          </ul>
        </fieldset>
        <button>${words.say('connectChosen')}</button>
      </form>
      <div class="after">
        <form method="post" action="${forms.path}/choose">
          <input type="hidden" name="csrf" value="${forms.csrf}" /><input
            type="hidden"
            name="choice"
            value="${choice.id}"
          /><input type="hidden" name="decision" value="none" /><button class="quiet">${words.say('noneOfThese')}</button>
        </form>
      </div>`,
  };
}

const wrongOf = (tried: readonly string[], atMost: number, words: Words): Markup =>
  tried.length === 0 ? words.say('chooseOne') : words.say('chooseAtMost', { count: atMost });

/** Boxes to tick, or one of several where only one may be connected. */
function account(
  { account: { id, name, username }, connected }: OpenChoice['accounts'][number],
  index: number,
  atMost: number,
  tried: readonly string[] | null,
  words: Words,
): Markup {
  const box =
    atMost === 1
      ? html`type="radio" name="account" value="${index}"`
      : html`type="checkbox" name="account_${index}" value="1"`;
  return html`<li>
    <label
      ><input ${box}${tried?.includes(id) && html` checked`} />
      <span class="of"
        ><strong>${foreign(name ?? username ?? id)}</strong>${
          username !== null && html`<small><bdi>@${plain(username)}</bdi></small>`
        }${connected && html`<small class="has">${words.say('connectedAlready')}</small>`}</span
      ></label
    >
  </li>`;
}
