import type { OpenConnect, PlatformFacts } from '@switchboard/domain';
import { inShort } from './allowed.js';
import { cancelForm } from './cancel-form.js';
import type { Forms } from './forms.js';
import { foreign } from './foreign.js';
import { html, type Markup } from './html.js';
import { icons } from './icons.js';
import { nameOf, type Page } from './page.js';

/** Several platforms may be chosen: which one? */
export function choicePage({ workspace, profile, platforms }: OpenConnect, forms: Forms): Page {
  return {
    status: 200,
    title: 'Connect an account',
    brand: workspace,
    formTargets: forms.targets,
    content: html`<h1>Connect an account</h1>
      <p class="lead">
        ${foreign(nameOf(workspace))} asks to use an account of yours for ${foreign(profile.name)}. Where is
        it?
      </p>
      ${platformChoices(platforms, forms)}
      <div class="after">${cancelForm(forms)}</div>`,
  };
}

export const platformChoices = (platforms: readonly PlatformFacts[], forms: Forms): Markup =>
  html`<ul class="choices">
    ${platforms.map((facts) => choice(facts, forms))}
  </ul>`;

function choice(facts: PlatformFacts, { path }: Forms): Markup {
  const { id, name } = facts.manifest;
  return html`<li>
    <a href="${path}?platform=${encodeURIComponent(id)}"
      ><span class="tile" aria-hidden="true">${name.charAt(0)}</span
      ><span class="of"><strong>${name}</strong><small>${inShort(facts)}</small></span
      >${icons.next}</a
    >
  </li>`;
}
