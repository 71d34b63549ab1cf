import type { ConnectErrorCode, OpenConnect } from '@switchboard/domain';
import { accountCard } from './account-card.js';
import { cancelForm } from './cancel-form.js';
import { platformChoices } from './choice-page.js';
import type { Forms } from './forms.js';
import { html } from './html.js';
import { icons } from './icons.js';
import { nameOf, type Page } from './page.js';
import { foreign } from './foreign.js';
import { reasonLines } from './result-page.js';

/** One login is done, or brought nothing, and more may follow. */
export function connectedSoFarPage(
  { workspace, profile, platforms, connections }: OpenConnect,
  forms: Forms,
  refused: ConnectErrorCode | null,
): Page {
  const some = connections.length > 0;
  const title = refused !== null ? 'Not connected' : 'Connected';
  return {
    status: 200,
    title,
    brand: workspace,
    formTargets: forms.targets,
    content: html`<div class="mark ${refused === null ? 'good' : 'bad'}">
        ${refused === null ? icons.good : icons.bad}
      </div>
      <h1>${title}</h1>
      ${refused !== null && reasonLines(refused).map((line) => html`<p class="lead">${line}</p>`)}
      ${
        some &&
        html`<p class="lead">${foreign(nameOf(workspace))} can use this for ${foreign(profile.name)}:</p>
          ${connections.map((connection) => accountCard(connection, nameOfPlatform(connection.platform)))}
          <form method="post" action="${forms.path}/done">
            <input type="hidden" name="csrf" value="${forms.csrf}" /><button>Done</button>
          </form>`
      }
      <h2>${some ? 'Connect another account' : 'Try again'}</h2>
      ${platformChoices(platforms, forms)} ${!some && html`<div class="after">${cancelForm(forms)}</div>`}`,
  };

  function nameOfPlatform(id: string): string {
    return platforms.find(({ manifest }) => manifest.id === id)?.manifest.name ?? id;
  }
}
