import { html, type Markup } from '../pages/html.js';
import type { ApiOperation, ApiParameter } from './api-document.js';

/**
 * The form that sends a request. It is filled with the example of the body only: identifiers of examples do not
 * exist, and an idempotency key that stays in its field would make the second request a repetition of the first.
 */
export function tryForm(
  { operationId, requestBody }: ApiOperation,
  method: string,
  path: string,
  parameters: readonly ApiParameter[],
): Markup {
  const json = requestBody?.content['application/json'];
  return html`<details class="try">
    <summary>Try it</summary>
    <form data-method="${method}" data-path="${path}" aria-label="Try ${operationId}">
      ${parameters.map((parameter) => parameterField(parameter, operationId))}
      ${
        requestBody?.content['multipart/form-data']
          ? html`<label>File, instead of the body <input type="file" name="file" /></label>`
          : null
      }
      ${
        json
          ? html`<label
              >Body
              <textarea name="body" rows="8" spellcheck="false">
${JSON.stringify(json.example ?? {}, null, 2)}</textarea>
            </label>`
          : null
      }
      <button>Send</button>
      <output></output>
    </form>
  </details>`;
}

const parameterField = ({ name, in: place, required, example }: ApiParameter, operationId: string): Markup =>
  html`<label for="${operationId}-${name}"
    >${name}
    <input
      id="${operationId}-${name}"
      name="${name}"
      data-in="${place}"
      autocomplete="off"
      spellcheck="false"
      ${required ? html`required` : null}
      placeholder="${placeholderOf(name, example)}"
    />
  </label>`;

function placeholderOf(name: string, example: unknown): string {
  if (name === 'Idempotency-Key') return 'a new one for each request';
  if (example === undefined) return '';
  return typeof example === 'string' ? example : JSON.stringify(example);
}
