import type { ConnectPageView } from '@switchboard/domain/connections';
import type { PlatformFacts } from '@switchboard/domain/platforms';
import type { Translator } from '../texts/translator.js';
import { summarizeAbilities } from './describe-permissions.js';
import { cancelForm } from './cancel-form.js';
import { isolateName } from './isolate-name.js';
import type { Forms } from './forms.js';
import { html, type Markup } from './html.js';
import { icons } from './icons.js';
import { nameOf, type Page } from './page.js';

/** The choice among several platforms. */
export function choicePage(
  { workspace, profile, platforms }: ConnectPageView,
  forms: Forms,
  translator: Translator,
): Page {
  const names = { who: isolateName(nameOf(workspace)), profile: isolateName(profile.name) };
  return {
    status: 200,
    title: translator.text('connectAccount'),
    brand: workspace,
    formTargets: forms.targets,
    translator,
    content: html`<h1>${translator.markup('connectAccount')}</h1>
      <p class="lead">${translator.markup('asksWhere', names)}</p>
      ${platformChoices(platforms, forms, translator)}
      <div class="after">${cancelForm(forms, translator)}</div>`,
  };
}

export const platformChoices = (
  platforms: readonly PlatformFacts[],
  forms: Forms,
  translator: Translator,
): Markup =>
  html`<ul class="choices">
    ${platforms.map((facts) => choice(facts, forms, translator))}
  </ul>`;

function choice(facts: PlatformFacts, { path }: Forms, translator: Translator): Markup {
  const { id, name } = facts.manifest;
  return html`<li>
    <a href="${path}?platform=${encodeURIComponent(id)}"
      ><span class="tile" aria-hidden="true">${name.charAt(0)}</span
      ><span class="of"><strong>${name}</strong><small>${summarizeAbilities(facts, translator)}</small></span
      >${icons.next}</a
    >
  </li>`;
}
