import type { ConnectField } from '@switchboard/domain';
import type { Words } from '../texts/words.js';
import { html, type Markup } from './html.js';

interface Asked {
  /** Keeps ids apart where two forms of a page ask for the same thing. */
  readonly prefix: string;
  readonly platformName: string;
  readonly value: string;
  readonly wrong: string | null;
  /** The first of the form that is wrong: where the person goes on. */
  readonly first: boolean;
}

type Kind = ConnectField['kind'];

/** What the browser may offer and which keyboard a phone shows. Keys and passwords are pasted, and nobody is to remember them here. */
const typing: Readonly<Record<Kind, { readonly autocomplete: string; readonly inputmode: string }>> = {
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
export function field(
  asked: ConnectField,
  { prefix, platformName, value, wrong, first }: Asked,
  words: Words,
): Markup {
  const { name, kind, required, placeholder } = asked;
  const { label, hint } = labelsOf(asked, platformName, words);
  const id = `${prefix}-${name}`;
  const described = [
    ...(hint.text.trim() === '' ? [] : [`${id}-hint`]),
    ...(wrong === null ? [] : [`${id}-wrong`]),
  ];
  return html`<div class="field">
    <label for="${id}">${label}${!required && html` <small>(${words.say('optional')})</small>`}</label>
    ${hint.text.trim() !== '' && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    <input
      id="${id}"
      name="${name}"
      type="${kind === 'password' ? 'password' : 'text'}"
      placeholder="${placeholder}"
      maxlength="500"
      autocomplete="${typing[kind].autocomplete}"
      inputmode="${typing[kind].inputmode}"
      autocapitalize="none"
      autocorrect="off"
      spellcheck="false"
      ${kind !== 'password' && value !== '' && html` value="${value}"`}${required && html` required`}${
        wrong !== null && html` aria-invalid="true"`
      }${first && html` autofocus`}${described.length > 0 && html` aria-describedby="${described.join(' ')}"`}
    />
    ${wrong !== null && html`<p class="wrong" id="${id}-wrong">${wrong}</p>`}
  </div>`;
}

/** The platform's own words are English; elsewhere the kind of the question says what is asked. */
function labelsOf(
  { label, hint, kind }: ConnectField,
  platform: string,
  words: Words,
): { readonly label: Markup; readonly hint: Markup } {
  if (words.language === 'en') return { label: html`${label}`, hint: html`${hint}` };
  if (kind === 'text') {
    return {
      label: html`<span lang="en">${label}</span>`,
      hint: hint === '' ? html`` : html`<span lang="en">${hint}</span>`,
    };
  }
  const { label: labelKey, hint: hintKey } = keysOf[kind];
  return { label: words.say(labelKey), hint: html`${words.text(hintKey, { platform })}` };
}

const keysOf = {
  handle: { label: 'handleLabel', hint: 'handleHint', wrong: 'handleWrong' },
  instance: { label: 'instanceLabel', hint: 'instanceHint', wrong: 'instanceWrong' },
  shop: { label: 'shopLabel', hint: 'shopHint', wrong: 'shopWrong' },
  store_url: { label: 'storeUrlLabel', hint: 'storeUrlHint', wrong: 'storeUrlWrong' },
  url: { label: 'urlLabel', hint: 'urlHint', wrong: 'urlWrong' },
  key: { label: 'keyLabel', hint: 'keyHint', wrong: 'keyWrong' },
  password: { label: 'passwordLabel', hint: 'passwordHint', wrong: 'passwordWrong' },
} as const;

/** What is to be done about an answer of this kind that was not taken. */
export const wrongKeyOf = (kind: Kind) => (kind === 'text' ? 'textWrong' : keysOf[kind].wrong);
