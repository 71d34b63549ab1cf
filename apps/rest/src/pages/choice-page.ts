import type { OpenConnect, PlatformFacts } from '@switchboard/domain';
import type { Words } from '../texts/words.js';
import { inShort } from './allowed.js';
import { cancelForm } from './cancel-form.js';
import { foreign } from './foreign.js';
import type { Forms } from './forms.js';
import { html, type Markup } from './html.js';
import { icons } from './icons.js';
import { nameOf, type Page } from './page.js';

/** Several platforms may be chosen: which one? */
export function choicePage({ workspace, profile, platforms }: OpenConnect, forms: Forms, words: Words): Page {
  const names = { who: foreign(nameOf(workspace)), profile: foreign(profile.name) };
  return {
    status: 200,
    title: words.text('connectAccount'),
    brand: workspace,
    formTargets: forms.targets,
    words,
    content: html`<h1>${words.say('connectAccount')}</h1>
      <p class="lead">${words.say('asksWhere', names)}</p>
      ${platformChoices(platforms, forms, words)}
      <div class="after">${cancelForm(forms, words)}</div>`,
  };
}

export const platformChoices = (platforms: readonly PlatformFacts[], forms: Forms, words: Words): Markup =>
  html`<ul class="choices">
    ${platforms.map((facts) => choice(facts, forms, words))}
  </ul>`;

function choice(facts: PlatformFacts, { path }: Forms, words: Words): Markup {
  const { id, name } = facts.manifest;
  return html`<li>
    <a href="${path}?platform=${encodeURIComponent(id)}"
      ><span class="tile" aria-hidden="true">${name.charAt(0)}</span
      ><span class="of"><strong>${name}</strong><small>${inShort(facts, words)}</small></span
      >${icons.next}</a
    >
  </li>`;
}
