import type { ConnectErrorCode, ConnectPageView } from '@switchboard/domain/connections';
import type { Translator } from '../texts/translator.js';
import { accountCard } from './account-card.js';
import { cancelForm } from './cancel-form.js';
import { platformChoices } from './choice-page.js';
import type { Forms } from './forms.js';
import { html } from './html.js';
import { icons } from './icons.js';
import { namesOf, type Page } from './page.js';
import { reasonOf } from './result-page.js';

/** One login has completed or failed, and more may follow. */
export function connectedSoFarPage(
  view: ConnectPageView,
  forms: Forms,
  translator: Translator,
  { refused, search }: { readonly refused: ConnectErrorCode | null; readonly search: string | null },
): Page {
  const { workspace, platforms, connections } = view;
  const some = connections.length > 0;
  const title = refused === null ? 'connected' : 'notConnected';
  const mark = refused === null ? 'good' : 'bad';
  const nameOfPlatform = (id: string) =>
    platforms.find(({ manifest }) => manifest.id === id)?.manifest.name ?? id;
  return {
    status: 200,
    title: translator.text(title),
    brand: workspace,
    formTargets: forms.targets,
    translator,
    content: html`<div class="mark ${mark}">${icons[mark]}</div>
      <h1>${translator.markup(title)}</h1>
      ${refused !== null && html`<p class="lead">${translator.markup(reasonOf(refused))}</p>`}
      ${
        some &&
        html`<p class="lead">${translator.markup('canUseThis', namesOf(view, translator))}</p>
          ${connections.map((connection) => accountCard(connection, nameOfPlatform(connection.platform)))}
          <form method="post" action="${forms.path}/done">
            <input type="hidden" name="csrf" value="${forms.csrf}" /><button>
              ${translator.markup('done')}
            </button>
          </form>`
      }
      <h2>${translator.markup(some ? 'connectAnother' : 'tryAgain')}</h2>
      ${platformChoices(platforms, forms, translator, search)}
      ${!some && html`<div class="after">${cancelForm(forms, translator)}</div>`}`,
  };
}
