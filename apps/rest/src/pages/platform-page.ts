import type { Failure, FailureCode } from '@switchboard/domain';
import { endsWithForm, type ConnectPageView } from '@switchboard/domain/connections';
import type { PlatformFacts } from '@switchboard/domain/platforms';
import type { ConnectField, ConnectMethod } from '@switchboard/domain/ports';
import type { Translator } from '../texts/translator.js';
import { accountCard } from './account-card.js';
import { describePermissions, platformPermissions } from './describe-permissions.js';
import { cancelForm } from './cancel-form.js';
import { renderField, problemKeyOf } from './render-field.js';
import { sanitizeName } from './isolate-name.js';
import type { Forms } from './forms.js';
import { html, type Markup } from './html.js';
import { icons } from './icons.js';
import { namesOf, type Page } from './page.js';

/** The last failed attempt and its failure, shown with the entered values. */
export interface ConnectAttempt {
  readonly connectMethod: string;
  readonly answers: Readonly<Record<string, string>>;
  readonly failure: Pick<Failure, 'code' | 'message' | 'problems' | 'platform'>;
  readonly status: number;
}

/** The page of one platform: the permissions, the fields to fill in, and the button that continues. */
export function platformPage(
  view: ConnectPageView,
  facts: PlatformFacts,
  forms: Forms,
  translator: Translator,
  attempt: ConnectAttempt | null,
): Page {
  const { session, workspace, profile, platforms, reconnected } = view;
  const { manifest, connectMethods } = facts;
  // After a failed attempt its connect method comes first with the entered values, and the permissions are
  // collapsed.
  const attemptedMethod = connectMethods.find(({ id }) => id === attempt?.connectMethod);
  const first = attemptedMethod ?? connectMethods[0];
  const others = connectMethods.filter((connectMethod) => connectMethod !== first);
  const isReconnect = session.reconnects !== null;
  const platform = manifest.name;
  const title = translator.text(isReconnect ? 'connectPlatformAgain' : 'connectPlatform', { platform });
  const names = { platform, ...namesOf(view, translator) };
  const mayDo = translator.markup('whatItMayDo', { who: names.who });
  return {
    status: attempt?.status ?? 200,
    title: attempt ? translator.text('errorTitle', { title }) : title,
    brand: workspace,
    formTargets: forms.targets,
    translator,
    content: html`<h1>${title}</h1>
      <p class="lead">${translator.markup(isReconnect ? 'asksToUseAgain' : 'asksToUse', names)}</p>
      ${
        reconnected &&
        html`<p>${translator.markup('reconnectAccount')}</p>
          ${accountCard(reconnected, platform)}`
      }
      ${attempt && alert(attempt, translator)}
      ${
        attempt
          ? html`<details>
              <summary>${mayDo}</summary>
              ${permissions(facts, translator)}
            </details>`
          : html`<h2>${mayDo}</h2>
              ${permissions(facts, translator)}`
      }
      ${connectMethodForm(facts, first, forms, translator, attempt)}
      ${others.map(
        (connectMethod) =>
          html`<details class="other">
            <summary>${labelOf(connectMethod, facts, translator)}</summary>
            ${connectMethodForm(facts, connectMethod, forms, translator, null)}
          </details>`,
      )}
      ${manifest.source === 'external' && html`<p class="note">${translator.markup('addedByOperator')}</p>`}
      <div class="after">
        ${
          platforms.length > 1 &&
          html`<a class="button quiet" href="${forms.path}">${translator.markup('otherPlatform')}</a>`
        }
        ${cancelForm(forms, translator)}
      </div>
      <p class="until">
        ${translator.markup('worksUntil', { time: translator.time(session.expiresAt, profile.timezone) })}
      </p>`,
  };
}

function permissions(facts: PlatformFacts, translator: Translator): Markup {
  const permissionNames = platformPermissions(facts);
  return html`<ul class="allowed">
      ${describePermissions(facts, translator).map((line) => html`<li>${icons.tick}<span>${line}</span></li>`)}
    </ul>
    ${
      permissionNames.length > 0 &&
      html`<details class="words">
        <summary>${translator.markup('inItsOwnWords', { platform: facts.manifest.name })}</summary>
        <ul>
          ${permissionNames.map((word) => html`<li><code>${word}</code></li>`)}
        </ul>
      </details>`
    }`;
}

/** The labels of a platform are English. */
function labelOf(connectMethod: ConnectMethod, facts: PlatformFacts, translator: Translator): Markup {
  if (translator.language === 'en') return html`${connectMethod.label}`;
  return endsWithForm(connectMethod)
    ? translator.markup('otherWay')
    : translator.markup('continueTo', { platform: loginPlatformName(connectMethod, facts) });
}

/** The platform where the account owner signs in. */
const loginPlatformName = ({ id }: ConnectMethod, { manifest, appPlatforms }: PlatformFacts): string =>
  (appPlatforms.get(id) ?? manifest).name;

function connectMethodForm(
  facts: PlatformFacts,
  connectMethod: ConnectMethod,
  forms: Forms,
  translator: Translator,
  attempt: ConnectAttempt | null,
): Markup {
  const { id, name: platform } = facts.manifest;
  const leavesPage = !endsWithForm(connectMethod);
  const problems = new Map(
    connectMethod.fields.map((connectField) => [
      connectField.name,
      describeProblem(connectMethod, connectField, attempt, translator),
    ]),
  );
  const first = connectMethod.fields.find(({ name }) => problems.get(name) !== null)?.name;
  return html`<form method="post" action="${forms.path}/begin" novalidate>
    <input type="hidden" name="csrf" value="${forms.csrf}" /><input
      type="hidden"
      name="platform"
      value="${id}"
    /><input type="hidden" name="connect_method" value="${connectMethod.id}" />
    ${connectMethod.fields.map((connectField) =>
      renderField(
        connectField,
        {
          prefix: connectMethod.id,
          platformName: platform,
          asksOwnPassword: connectMethod.passwordLogin !== undefined,
          value: attempt?.answers[connectField.name] ?? '',
          problem: problems.get(connectField.name) ?? null,
          isFirstProblem: connectField.name === first,
        },
        translator,
      ),
    )}
    ${connectMethod.passwordLogin && html`<p class="note">${translator.markup(connectMethod.passwordLogin.renewal === 'password' ? 'passwordStored' : 'passwordNotStored', { platform })}</p>`}
    <button>${leavesPage ? labelOf(connectMethod, facts, translator) : translator.markup('connect')}</button>
    ${leavesPage && html`<p class="note">${translator.markup('signInThere', { platform: loginPlatformName(connectMethod, facts) })}</p>`}
  </form>`;
}

/** The problem of one value; in English with the original message. */
function describeProblem(
  { passwordLogin }: ConnectMethod,
  { name, kind }: ConnectField,
  attempt: ConnectAttempt | null,
  translator: Translator,
): string | null {
  const problem = attempt?.failure.problems?.find(({ path }) => path === name);
  if (!problem) return null;
  if (problem.code === 'field.required') return translator.text('fillIn');
  return translator.language === 'en'
    ? toSentence(problem.message)
    : translator.text(problemKeyOf(kind, passwordLogin !== undefined));
}

/** `must be…` becomes a sentence when it is displayed alone below its field. */
const toSentence = (message: string) => (/^(is|must|has) /.test(message) ? `This ${message}.` : message);

const alert = ({ failure }: ConnectAttempt, translator: Translator): Markup =>
  html`<div class="alert" role="alert">
    <p>
      <strong>${translator.markup('didNotWork')}</strong>
      ${translator.language === 'en' ? failure.message : translator.markup(alertKeyOf(failure.code))}
    </p>
    ${
      failure.platform &&
      html`<p>
        ${translator.markup('platformSays', { platform: failure.platform.name })}
        <q>${sanitizeName(failure.platform.message)}</q>
      </p>`
    }
  </div>`;

function alertKeyOf(code: FailureCode) {
  switch (code) {
    case 'connect.answer_invalid':
      return 'answerWrong';
    case 'connect.wrong_account':
      return 'wrongAccount';
    case 'connect.nothing_to_choose':
      return 'nothingToChoose';
    case 'platform.not_configured':
      return 'notConfigured';
    case 'platform.not_found':
      return 'notHere';
    case 'platform.address_refused':
      return 'addressRefused';
    case 'platform.invalid_response':
      return 'accountUnreadable';
    case 'platform.unavailable':
      return 'notReached';
    default:
      return 'wentWrong';
  }
}
