import type { SignIn } from '@switchboard/bootstrap/authorization-server';
import type { CeilingRemaining, Scope } from '@switchboard/domain/access';
import type { ConsentView } from '@switchboard/domain/clients';
import type { TextKey } from '../texts/texts.js';
import type { Translator } from '../texts/translator.js';
import { amountOf } from './amount-of.js';
import { clientCard } from './client-card.js';
import type { Forms } from './forms.js';
import { html, type Markup } from './html.js';
import { denyForm } from './invitation-page.js';
import { isolateName } from './isolate-name.js';
import { nameOf, UNNAMED, type Page } from './page.js';

/** The name of a scope's checkbox. */
export const fieldOf = (scope: Scope): string => `scope ${scope}`;

/**
 * The decision: what the client may do, for whom, and how to end it. `chosen` is a previous selection that
 * could not be accepted.
 */
export function consentPage(
  { client }: SignIn,
  view: ConsentView,
  offered: readonly Scope[],
  forms: Forms,
  translator: Translator,
  hasChosenNothing: boolean,
): Page {
  const name = { client: isolateName(client.name) };
  const title = translator.text('whatMayClientDo', { client: client.name });
  const fieldset = (legend: TextKey & `scopes${string}`, of: readonly Scope[], isChecked: boolean) =>
    of.length > 0 && scopeFieldset(translator.markup(legend), of, view, isChecked, translator);
  const money: readonly Scope[] = offered.filter((scope) => scope === 'refunds:write');
  const changes = offered.filter((scope) => !isRead(scope) && !money.includes(scope));
  return {
    status: hasChosenNothing ? 422 : 200,
    title: hasChosenNothing ? translator.text('errorTitle', { title }) : title,
    brand: view.workspace,
    formTargets: forms.targets,
    translator,
    footer: null,
    content: html`<h1>${translator.markup('whatMayClientDo', name)}</h1>
      <p class="lead">${translator.markup('clientActsFor', { ...name, who: whoOf(view, translator) })}</p>
      ${clientCard(client, translator)}
      <h2>${translator.markup('profilesReached')}</h2>
      ${profileList(view, translator)}
      ${hasChosenNothing && html`<div class="alert" role="alert"><p>${translator.markup('chooseScope')}</p></div>`}
      <form method="post" action="${forms.path}/decide">
        <input type="hidden" name="csrf" value="${forms.csrf}" /><input
          type="hidden"
          name="decision"
          value="allow"
        />
        ${fieldset('scopesRead', offered.filter(isRead), true)} ${fieldset('scopesChange', changes, false)}
        ${fieldset('scopesMoney', money, false)}
        <p class="note">${translator.markup('howToEnd', name)}</p>
        <button>${translator.markup('allowAccess')}</button>
      </form>
      <div class="after">${denyForm(forms, translator)}</div>`,
  };
}

const isRead = (scope: Scope) => scope.endsWith(':read');

function whoOf({ workspace }: ConsentView, translator: Translator): Markup | string {
  const name = nameOf(workspace);
  return name === null ? translator.text('thisApplication') : isolateName(name);
}

/** A key that is not restricted reaches every profile. The first one may have no name that says anything. */
function profileList({ key, profiles }: ConsentView, translator: Translator): Markup {
  const named = profiles.filter(({ name }) => name !== UNNAMED);
  return html`<ul class="profiles">
    ${key.policy.profileIds === null && html`<li>${translator.markup('allProfiles')}</li>`}
    ${named.map(({ name }) => html`<li>${isolateName(name)}</li>`)}
  </ul>`;
}

const scopeFieldset = (
  legend: Markup,
  scopes: readonly Scope[],
  view: ConsentView,
  isChecked: boolean,
  translator: Translator,
): Markup =>
  html`<fieldset>
    <legend>${legend}</legend>
    <ul class="accounts">
      ${scopes.map(
        (scope) =>
          html`<li>
            <label
              ><input type="checkbox" name="${fieldOf(scope)}" value="1" ${isChecked && html` checked`} />
              <span class="of"
                ><strong>${describeScope(scope, view, translator)}</strong
                >${scope === 'refunds:write' && describeCeilings(view.ceilings ?? [], translator)}</span
              ></label
            >
          </li>`,
      )}
    </ul>
  </fieldset>`;

const scopeTexts = {
  'profiles:read': 'scopeProfilesRead',
  'profiles:write': 'scopeProfilesWrite',
  'connections:read': 'scopeConnectionsRead',
  'connections:write': 'scopeConnectionsWrite',
  'posts:read': 'scopePostsRead',
  'posts:write': 'scopePostsWrite',
  'analytics:read': 'scopeAnalyticsRead',
  'orders:read': 'scopeOrdersRead',
  'refunds:write': 'scopeRefundsWrite',
  'webhooks:read': 'scopeWebhooksRead',
  'webhooks:write': 'scopeWebhooksWrite',
  'events:read': 'scopeEventsRead',
} as const satisfies Partial<Record<Scope, TextKey>>;

function describeScope(scope: Scope, { key }: ConsentView, translator: Translator): Markup {
  if (scope === 'orders:read' && key.policy.hidePersonalData) return translator.markup('scopeOrdersMasked');
  return scope in scopeTexts
    ? translator.markup(scopeTexts[scope as keyof typeof scopeTexts])
    : html`${scope}`;
}

const describeCeilings = (ceilings: readonly CeilingRemaining[], translator: Translator): Markup =>
  ceilings.length === 0
    ? html`<small>${translator.markup('noRefundLimitLeft')}</small>`
    : html`${ceilings.map(
        ({ currency, perRefundMinor, perDayLeftMinor }) =>
          html`<small
            >${translator.markup('refundLimit', {
              each: amountOf({ amountMinor: perRefundMinor, currency }),
              day: amountOf({ amountMinor: perDayLeftMinor, currency }),
            })}</small
          >`,
      )}`;
