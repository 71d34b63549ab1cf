import type { ConnectPageView } from '@switchboard/domain/connections';
import type { PlatformFacts } from '@switchboard/domain/platforms';
import type { Translator } from '../texts/translator.js';
import { summarizeAbilities } from './describe-permissions.js';
import { cancelForm } from './cancel-form.js';
import type { Forms } from './forms.js';
import { html, type Markup } from './html.js';
import { icons, platformTile } from './icons.js';
import { namesOf, type Page } from './page.js';

export function choicePage(
  view: ConnectPageView,
  forms: Forms,
  translator: Translator,
  search: string | null,
): Page {
  return {
    status: 200,
    title: translator.text('connectAccount'),
    brand: view.workspace,
    formTargets: forms.targets,
    translator,
    content: html`<h1>${translator.markup('connectAccount')}</h1>
      <p class="lead">${translator.markup('asksWhere', namesOf(view, translator))}</p>
      ${platformChoices(view.platforms, forms, translator, search)}
      <div class="after">${cancelForm(forms, translator)}</div>`,
  };
}

/** From this number on the platforms can be searched. */
const SEARCH_FROM = 9;

/**
 * The platforms in groups. `search` is what the visitor looks for; it is not shown again, because no page shows
 * what came with the address.
 */
export function platformChoices(
  platforms: readonly PlatformFacts[],
  forms: Forms,
  translator: Translator,
  search: string | null,
): Markup {
  const wanted = search?.trim().toLowerCase() ?? '';
  const found = platforms.filter(({ manifest }) => manifest.name.toLowerCase().includes(wanted));
  const groups = [
    {
      title: translator.markup('social'),
      members: found.filter(({ manifest }) => manifest.kind === 'social'),
    },
    {
      title: translator.markup('stores'),
      members: found.filter(({ manifest }) => manifest.kind === 'commerce'),
    },
  ].filter(({ members }) => members.length > 0);
  return html`${platforms.length >= SEARCH_FROM && searchForm(forms, translator)}
  ${found.length === 0 && html`<p class="note" role="status">${translator.markup('noMatch')}</p>`}
  ${groups.map(
    ({ title, members }) =>
      html`${groups.length > 1 && html`<h2>${title}</h2>`}
        <ul class="choices">
          ${members.map((facts) => choice(facts, forms, translator))}
        </ul>`,
  )}
  ${
    found.length < platforms.length &&
    html`<p class="all"><a href="${forms.path}">${translator.markup('showAll')}</a></p>`
  }`;
}

const searchForm = ({ path }: Forms, translator: Translator): Markup =>
  html`<form class="search" method="get" action="${path}" role="search">
    <label for="search">${translator.markup('searchPlatforms')}</label>
    <div>
      <input id="search" name="search" type="search" autocomplete="off" maxlength="40" /><button>
        ${translator.markup('search')}
      </button>
    </div>
  </form>`;

function choice(facts: PlatformFacts, { path }: Forms, translator: Translator): Markup {
  const { id, name } = facts.manifest;
  return html`<li>
    <a href="${path}?platform=${encodeURIComponent(id)}"
      >${platformTile(id, name)}<span class="of"
        ><strong>${name}</strong><small>${summarizeAbilities(facts, translator)}</small></span
      >${icons.next}</a
    >
  </li>`;
}
