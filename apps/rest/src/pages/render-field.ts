import type { ConnectField } from '@switchboard/domain/ports';
import type { Translator } from '../texts/translator.js';
import { html, type Markup } from './html.js';

interface FieldState {
  /** Distinguishes the ids of fields when two forms of a page have the same field. */
  readonly prefix: string;
  readonly platformName: string;
  /** The form asks for the account's own password instead of one that was created for this purpose. */
  readonly asksOwnPassword: boolean;
  readonly value: string;
  readonly problem: string | null;
  /** The first invalid field of the form, which gets the focus. */
  readonly isFirstProblem: boolean;
}

type Kind = ConnectField['kind'];

/** Autocomplete and keyboard hints. Keys and passwords are pasted, and the browser must not store them. */
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

/** A secret may be a private key as PEM. */
export const fieldLengthMax = (kind: Kind): number => (kind === 'password' ? 5_000 : 500);

/** A labeled field, with the problem of its value beside it. */
export function renderField(
  connectField: ConnectField,
  { prefix, platformName, asksOwnPassword, value, problem, isFirstProblem }: FieldState,
  translator: Translator,
): Markup {
  const { name, kind, required, placeholder } = connectField;
  const { label, hint } = labelsOf(connectField, platformName, asksOwnPassword, translator);
  const id = `${prefix}-${name}`;
  const describedBy = [
    ...(hint.text.trim() === '' ? [] : [`${id}-hint`]),
    ...(problem === null ? [] : [`${id}-wrong`]),
  ];
  return html`<div class="field">
    <label for="${id}"
      >${label}${!required && html` <small>(${translator.markup('optional')})</small>`}</label
    >
    ${hint.text.trim() !== '' && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    <input
      id="${id}"
      name="${name}"
      type="${kind === 'password' ? 'password' : 'text'}"
      placeholder="${placeholder}"
      maxlength="${fieldLengthMax(kind)}"
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

/** The labels of a platform are English; in other languages the kind of the field determines the label. */
function labelsOf(
  { label, hint, kind }: ConnectField,
  platform: string,
  asksOwnPassword: boolean,
  translator: Translator,
): { readonly label: Markup; readonly hint: Markup } {
  if (translator.language === 'en') return { label: html`${label}`, hint: html`${hint}` };
  if (kind === 'text') {
    return {
      label: html`<span lang="en">${label}</span>`,
      hint: hint === '' ? html`` : html`<span lang="en">${hint}</span>`,
    };
  }
  if (kind === 'password' && asksOwnPassword)
    return { label: translator.markup('ownPasswordLabel'), hint: html`` };
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

/** The instruction for a rejected value of this kind. */
export function problemKeyOf(kind: Kind, asksOwnPassword: boolean) {
  if (kind === 'password' && asksOwnPassword) return 'ownPasswordWrong';
  return kind === 'text' ? 'textWrong' : keysOf[kind].problem;
}
