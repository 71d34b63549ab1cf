import type { OpenChoice, OpenConnect } from '@switchboard/domain';
import { foreign, plain } from './foreign.js';
import type { Forms } from './forms.js';
import { html, type Markup } from './html.js';
import { nameOf, type Page } from './page.js';

/** A login opened several accounts: which of them? `tried` is what was chosen when that could not be taken. */
export function accountsPage(
  { workspace, profile }: OpenConnect,
  choice: OpenChoice,
  forms: Forms,
  tried: readonly string[] | null = null,
): Page {
  const { name } = choice.platform.manifest;
  const title = 'Which accounts?';
  const wrong =
    tried === null ? null : tried.length === 0 ? 'Choose at least one.' : `Choose at most ${choice.atMost}.`;
  return {
    status: wrong === null ? 200 : 422,
    title: wrong === null ? title : `Error: ${title}`,
    brand: workspace,
    formTargets: forms.targets,
    content: html`<h1>${title}</h1>
      <p class="lead">
        Your login at ${name} opens several accounts. ${foreign(nameOf(workspace))} gets only those that you
        choose for ${foreign(profile.name)}.
      </p>
      ${wrong !== null && html`<div class="alert" role="alert" id="accounts-wrong"><p>${wrong}</p></div>`}
      <form method="post" action="${forms.path}/choose">
        <input type="hidden" name="csrf" value="${forms.csrf}" /><input
          type="hidden"
          name="choice"
          value="${choice.id}"
        />
        <fieldset${wrong !== null && html` aria-describedby="accounts-wrong"`}>
          <legend>Accounts at ${name}</legend>
          <ul class="accounts">
            ${choice.accounts.map((one, index) => account(one, index, choice.atMost, tried))}
          </ul>
        </fieldset>
        <button>Connect what I chose</button>
      </form>
      <div class="after">
        <form method="post" action="${forms.path}/choose">
          <input type="hidden" name="csrf" value="${forms.csrf}" /><input
            type="hidden"
            name="decision"
            value="none"
          /><button class="quiet">None of these</button>
        </form>
      </div>`,
  };
}

/** Boxes to tick, or one of several where only one may be connected. */
function account(
  { account: { id, name, username }, connected }: OpenChoice['accounts'][number],
  index: number,
  atMost: number,
  tried: readonly string[] | null,
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
        }${connected && html`<small class="has">Connected already</small>`}</span
      ></label
    >
  </li>`;
}
