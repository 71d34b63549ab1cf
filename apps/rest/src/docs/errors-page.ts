import { failures, type FailureCode } from '@switchboard/domain';
import { statusOfKind } from '@switchboard/operations';
import { html, type Markup } from '../pages/html.js';
import { docsLayout } from './docs-layout.js';

const fixerLabels = {
  caller: 'the caller',
  account_owner: 'the account owner',
  operator: 'the operator',
  platform: 'the platform',
} as const;

/** Every error code, grouped by area, generated from the single table of failures. */
export function errorsPage(): Markup {
  const codes = Object.keys(failures) as FailureCode[];
  const areas = Map.groupBy(codes, (code) => code.split('.')[0] ?? code);
  return docsLayout(
    'Errors',
    html``,
    html`<main class="errors">
      <h1>Errors</h1>
      <p>
        Every failure is <code>application/problem+json</code> (RFC 9457). Branch on <code>code</code>;
        <code>effect</code> states whether anything changed: if it is <code>unknown</code>, look up the
        outcome before you retry.
      </p>
      ${[...areas].map(
        ([area, some]) =>
          html`<h2 id="${area}">${area.replace('_', ' ')}</h2>
            <table>
              <thead>
                <tr>
                  <th scope="col">Code</th>
                  <th scope="col">Status</th>
                  <th scope="col">Meaning</th>
                  <th scope="col">Who can fix it</th>
                  <th scope="col">Retryable</th>
                </tr>
              </thead>
              <tbody>
                ${some.map(row)}
              </tbody>
            </table>`,
      )}
    </main>`,
  );
}

function row(code: FailureCode): Markup {
  const { kind, title, whoCanFix, retryable, effect } = failures[code];
  const meaning = effect === 'none' ? title : `${title} (effect: ${effect})`;
  return html`<tr id="${code}">
    <td><code>${code}</code></td>
    <td data-label="Status">${statusOfKind[kind]}</td>
    <td>${meaning}</td>
    <td data-label="Who can fix it">${fixerLabels[whoCanFix]}</td>
    <td data-label="Retryable">${retryable ? 'yes' : 'no'}</td>
  </tr>`;
}
