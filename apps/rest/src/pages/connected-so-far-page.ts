import type { ConnectErrorCode, OpenConnect } from '@switchboard/domain';
import type { Words } from '../texts/words.js';
import { accountCard } from './account-card.js';
import { cancelForm } from './cancel-form.js';
import { platformChoices } from './choice-page.js';
import { foreign } from './foreign.js';
import type { Forms } from './forms.js';
import { html } from './html.js';
import { icons } from './icons.js';
import { nameOf, type Page } from './page.js';
import { reasonOf } from './result-page.js';

/** One login is done, or brought nothing, and more may follow. */
export function connectedSoFarPage(
  { workspace, profile, platforms, connections }: OpenConnect,
  forms: Forms,
  words: Words,
  refused: ConnectErrorCode | null,
): Page {
  const some = connections.length > 0;
  const title = refused === null ? 'connected' : 'notConnected';
  const mark = refused === null ? 'good' : 'bad';
  const names = { who: foreign(nameOf(workspace)), profile: foreign(profile.name) };
  const nameOfPlatform = (id: string) =>
    platforms.find(({ manifest }) => manifest.id === id)?.manifest.name ?? id;
  return {
    status: 200,
    title: words.text(title),
    brand: workspace,
    formTargets: forms.targets,
    words,
    content: html`<div class="mark ${mark}">${icons[mark]}</div>
      <h1>${words.say(title)}</h1>
      ${refused !== null && html`<p class="lead">${words.say(reasonOf(refused))}</p>`}
      ${
        some &&
        html`<p class="lead">${words.say('canUseThis', names)}</p>
          ${connections.map((connection) => accountCard(connection, nameOfPlatform(connection.platform)))}
          <form method="post" action="${forms.path}/done">
            <input type="hidden" name="csrf" value="${forms.csrf}" /><button>${words.say('done')}</button>
          </form>`
      }
      <h2>${words.say(some ? 'connectAnother' : 'tryAgain')}</h2>
      ${platformChoices(platforms, forms, words)}
      ${!some && html`<div class="after">${cancelForm(forms, words)}</div>`}`,
  };
}
