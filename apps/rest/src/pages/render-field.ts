import type { ConnectField } from '@switchboard/domain';
import type { Translator } from '../texts/translator.js';
import { html, type Markup } from './html.js';

interface FieldState {
  /** Keeps ids apart where two forms of a page ask for the same thing. */
  readonly prefix: string;
  readonly platformName: string;
  readonly value: string;
  readonly problem: string | null;
  /** The first of the form that is wrong: where the person goes on. */
  readonly isFirstProblem: boolean;
}

type Kind = ConnectField['kind'];

/** What the browser may offer and which keyboard a phone shows. Keys and passwords are pasted, and nobody is to remember them here. */
const inputHints: Readonly<Record<Kind, { readonly autocomplete: string; readonly inputmode: string }>> = {
  text: { autocomplete: 'off', inputmode: 'text' },
  handle: { autocomplete: 'username', inputmode: 'text' },
  instance: { autocomplete: 'off', inputmode: 'url' },
  shop: { autocomplete: 'off', inputmode: 'url' },
  store_url: { autocomplete: 'url', inputmode: 'url' },
  url: { autocomplete: 'url', inputmode: 'url' },
  key: { autocomplete: 'off', inputmode: 'text' },
  password: { autocomplete: 'off', inputmode: 'text' },
};

/** A labelled question, with what was wrong with the answer beside it. */
export function renderField(
  connectField: ConnectField,
  { prefix, platformName, value, problem, isFirstProblem }: FieldState,
  translator: Translator,
): Markup {
  const { name, kind, required, placeholder } = connectField;
  const { label, hint } = labelsOf(connectField, platformName, translator);
  const id = `${prefix}-${name}`;
  const describedBy = [
    ...(hint.text.trim() === '' ? [] : [`${id}-hint`]),
    ...(problem === null ? [] : [`${id}-wrong`]),
  ];
  return html`<div class="field">
    <label for="${id}">${label}${!required && html` <small>(${translator.markup('optional')})</small>`}</label>
    ${hint.text.trim() !== '' && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    <input
      id="${id}"
      name="${name}"
      type="${kind === 'password' ? 'password' : 'text'}"
      placeholder="${placeholder}"
      maxlength="500"
      autocomplete="${inputHints[kind].autocomplete}"
      inputmode="${inputHints[kind].inputmode}"
      autocapitalize="none"
      autocorrect="off"
      spellcheck="false"
      ${kind !== 'password' && value !== '' && html` value="${value}"`}${required && html` required`}${
        problem !== null && html` aria-invalid="true"`
      }${isFirstProblem && html` autofocus`}${describedBy.length > 0 && html` aria-describedby="${describedBy.join(' ')}"`}
    />
    ${problem !== null && html`<p class="wrong" id="${id}-wrong">${problem}</p>`}
  </div>`;
}

/** The platform's own words are English; elsewhere the kind of the question says what is asked. */
function labelsOf(
  { label, hint, kind }: ConnectField,
  platform: string,
  translator: Translator,
): { readonly label: Markup; readonly hint: Markup } {
  if (translator.language === 'en') return { label: html`${label}`, hint: html`${hint}` };
  if (kind === 'text') {
    return {
      label: html`<span lang="en">${label}</span>`,
      hint: hint === '' ? html`` : html`<span lang="en">${hint}</span>`,
    };
  }
  const { label: labelKey, hint: hintKey } = keysOf[kind];
  return { label: translator.markup(labelKey), hint: html`${translator.text(hintKey, { platform })}` };
}

const keysOf = {
  handle: { label: 'handleLabel', hint: 'handleHint', problem: 'handleWrong' },
  instance: { label: 'instanceLabel', hint: 'instanceHint', problem: 'instanceWrong' },
  shop: { label: 'shopLabel', hint: 'shopHint', problem: 'shopWrong' },
  store_url: { label: 'storeUrlLabel', hint: 'storeUrlHint', problem: 'storeUrlWrong' },
  url: { label: 'urlLabel', hint: 'urlHint', problem: 'urlWrong' },
  key: { label: 'keyLabel', hint: 'keyHint', problem: 'keyWrong' },
  password: { label: 'passwordLabel', hint: 'passwordHint', problem: 'passwordWrong' },
} as const;

/** What is to be done about an answer of this kind that was not taken. */
export const problemKeyOf = (kind: Kind) => (kind === 'text' ? 'textWrong' : keysOf[kind].problem);
