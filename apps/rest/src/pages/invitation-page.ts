import type { SignIn } from '@switchboard/bootstrap/authorization-server';
import type { TextKey } from '../texts/texts.js';
import type { Translator } from '../texts/translator.js';
import { clientCard } from './client-card.js';
import type { Forms } from './forms.js';
import { html } from './html.js';
import { isolateName } from './isolate-name.js';
import type { Page } from './page.js';

/** Why a code is not accepted. */
export type CodeProblem = TextKey & ('codeWrong' | 'codeGrantsNothing' | 'tooManyCodes');

/** The first page of a sign-in: it asks for the code of an invitation, never for a key. */
export function invitationPage(
  { client }: SignIn,
  forms: Forms,
  translator: Translator,
  problem: { readonly code: CodeProblem; readonly status: number } | null = null,
): Page {
  const name = { client: isolateName(client.name) };
  const title = translator.text('clientAsks', { client: client.name });
  return {
    status: problem?.status ?? 200,
    title: problem ? translator.text('errorTitle', { title }) : title,
    brand: null,
    formTargets: forms.targets,
    translator,
    footer: null,
    content: html`<h1>${translator.markup('clientAsks', name)}</h1>
      ${clientCard(client, translator)}
      <p class="lead">${translator.markup('clientAsksWhy')}</p>
      <form method="post" action="${forms.path}/code">
        <input type="hidden" name="csrf" value="${forms.csrf}" />
        <div class="field">
          <label for="code">${translator.markup('codeLabel')}</label>
          <p class="hint" id="code-hint">${translator.markup('codeHint')}</p>
          <input
            id="code"
            name="code"
            type="text"
            placeholder="0000-0000-0000-0000"
            maxlength="60"
            autocomplete="off"
            autocapitalize="characters"
            autocorrect="off"
            spellcheck="false"
            required
            autofocus
            ${problem && html`aria-invalid="true" `}aria-describedby="code-hint${problem && ' code-wrong'}"
          />
          ${problem && html`<p class="wrong" id="code-wrong" role="alert">${describe(problem.code, client, translator)}</p>`}
        </div>
        <button>${translator.markup('continueButton')}</button>
      </form>
      <div class="after">${denyForm(forms, translator)}</div>`,
  };
}

const describe = (code: CodeProblem, { name }: SignIn['client'], translator: Translator) =>
  code === 'codeWrong' ? translator.markup(code) : translator.markup(code, { client: isolateName(name) });

export const denyForm = ({ path, csrf }: Forms, translator: Translator) =>
  html`<form method="post" action="${path}/decide">
    <input type="hidden" name="csrf" value="${csrf}" /><input
      type="hidden"
      name="decision"
      value="deny"
    /><button class="quiet">${translator.markup('cancel')}</button>
  </form>`;
