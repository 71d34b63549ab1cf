import type { ChoiceView, ConnectPageView } from '@switchboard/domain/connections';
import type { Translator } from '../texts/translator.js';
import { isolateName, sanitizeName } from './isolate-name.js';
import type { Forms } from './forms.js';
import { html, type Markup } from './html.js';
import { namesOf, type Page } from './page.js';

/** The choice among the accounts of a login. `tried` is a previous selection that could not be accepted. */
export function accountsPage(
  view: ConnectPageView,
  choice: ChoiceView,
  forms: Forms,
  translator: Translator,
  attemptedIds: readonly string[] | null = null,
): Page {
  const { name: platform } = choice.platform.manifest;
  const title = translator.text('whichAccounts');
  const names = { platform, ...namesOf(view, translator) };
  const problem = attemptedIds && describeProblem(attemptedIds, choice.maxSelectable, translator);
  return {
    status: problem === null ? 200 : 422,
    title: problem === null ? title : translator.text('errorTitle', { title }),
    brand: view.workspace,
    formTargets: forms.targets,
    translator,
    content: html`<h1>${title}</h1>
      <p class="lead">${translator.markup('opensSeveral', names)}</p>
      ${problem && html`<div class="alert" role="alert" id="accounts-wrong"><p>${problem}</p></div>`}
      <form method="post" action="${forms.path}/choose">
        <input type="hidden" name="csrf" value="${forms.csrf}" /><input
          type="hidden"
          name="choice"
          value="${choice.id}"
        />
        <fieldset${problem && html` aria-describedby="accounts-wrong"`}>
          <legend>${translator.markup('accountsAt', { platform })}</legend>
          <ul class="accounts">
            ${choice.accounts.map((one, index) => account(one, index, choice.maxSelectable, attemptedIds, translator))}
          </ul>
        </fieldset>
        <button>${translator.markup('connectChosen')}</button>
      </form>
      <div class="after">
        <form method="post" action="${forms.path}/choose">
          <input type="hidden" name="csrf" value="${forms.csrf}" /><input
            type="hidden"
            name="choice"
            value="${choice.id}"
          /><input type="hidden" name="decision" value="none" /><button class="quiet">${translator.markup('noneOfThese')}</button>
        </form>
      </div>`,
  };
}

const describeProblem = (attemptedIds: readonly string[], atMost: number, translator: Translator): Markup =>
  attemptedIds.length === 0
    ? translator.markup('chooseOne')
    : translator.markup('chooseAtMost', { count: atMost });

/** Checkboxes, or radio buttons when only one account may be connected. */
function account(
  { account: { id, name, username }, connected }: ChoiceView['accounts'][number],
  index: number,
  atMost: number,
  attemptedIds: readonly string[] | null,
  translator: Translator,
): Markup {
  const box =
    atMost === 1
      ? html`type="radio" name="account" value="${index}"`
      : html`type="checkbox" name="account_${index}" value="1"`;
  return html`<li>
    <label
      ><input ${box}${attemptedIds?.includes(id) && html` checked`} />
      <span class="of"
        ><strong>${isolateName(name ?? username ?? id)}</strong>${
          username !== null && html`<small><bdi>@${sanitizeName(username)}</bdi></small>`
        }${connected && html`<small class="has">${translator.markup('connectedAlready')}</small>`}</span
      ></label
    >
  </li>`;
}
