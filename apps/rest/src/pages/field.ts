import type { ConnectField } from '@switchboard/domain';
import { html, type Markup } from './html.js';

/** A labelled question. `prefix` keeps ids apart where two forms of a page ask for the same thing. */
export function field(
  { name, label, hint, kind, required, placeholder }: ConnectField,
  prefix: string,
  value: string,
  wrong: string | null,
): Markup {
  const id = `${prefix}-${name}`;
  const described = [hint !== '' && `${id}-hint`, wrong !== null && `${id}-wrong`].filter(
    (part) => part !== false,
  );
  return html`<div class="field">
    <label for="${id}">${label}${!required && html` <small>(optional)</small>`}</label>
    ${hint !== '' && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    <input
      id="${id}"
      name="${name}"
      type="${kind === 'password' ? 'password' : 'text'}"
      placeholder="${placeholder}"
      maxlength="500"
      autocomplete="off"
      autocapitalize="none"
      autocorrect="off"
      spellcheck="false"
      ${
        kind === 'url' && html` inputmode="url"`
      }${kind !== 'password' && value !== '' && html` value="${value}"`}${required && html` required`}${
        wrong !== null && html` aria-invalid="true"`
      }${described.length > 0 && html` aria-describedby="${described.join(' ')}"`}
    />
    ${wrong !== null && html`<p class="wrong" id="${id}-wrong">${wrong}</p>`}
  </div>`;
}
