import { codePlaces, failures, reasonCodes, type FailureCode } from '@switchboard/domain';
import { statusOfKind } from '@switchboard/operations';
import { html, type Markup } from '../pages/html.js';
import { docsLayout } from './docs-layout.js';
import { inline } from './prose.js';

const fixerLabels = {
  caller: 'the caller',
  account_owner: 'the account owner',
  operator: 'the operator',
  platform: 'the platform',
} as const;

/** Every public code: those of failed requests by area, then those of each other place, from the catalog. */
export function errorsPage(): Markup {
  const codes = Object.keys(failures) as FailureCode[];
  const areas = Map.groupBy(codes, (code) => code.split('.')[0] ?? code);
  const places = Map.groupBy(reasonCodes, ({ place }) => place);
  return docsLayout(
    'Errors',
    html``,
    html`<main class="errors">
      <h1>Errors</h1>
      <p>
        Every failure is <code>application/problem+json</code> (RFC 9457). Branch on <code>code</code>;
        <code>effect</code> states whether anything changed: if it is <code>unknown</code>, look up the
        outcome before you retry. A code keeps its meaning where it appears as the reason for a state: in
        <code>errors</code>, in the <code>error</code> of a delivery or a refund, in notes.
      </p>
      <nav aria-label="Contents">
        <ul>
          ${[...areas.keys()].map((area) => html`<li><a href="#${area}">${areaTitle(area)}</a></li>`)}
          ${[...places.keys()].map(
            (place) => html`<li><a href="#in-${place}">${inline(codePlaces[place])}</a></li>`,
          )}
        </ul>
      </nav>
      ${[...areas].map(
        ([area, some]) =>
          html`<h2 id="${area}">${areaTitle(area)}</h2>
            ${table(['Code', 'Status', 'Meaning', 'What to do', 'Who can fix it', 'Retryable'], some.map(row))}`,
      )}
      ${[...places].map(
        ([place, some]) =>
          html`<h2 id="in-${place}">${inline(codePlaces[place])}</h2>
            ${table(['Code', 'Meaning', 'What to do'], some.map(reasonRow))}`,
      )}
    </main>`,
  );
}

const areaTitle = (area: string) => `${area.charAt(0).toUpperCase()}${area.slice(1).replaceAll('_', ' ')}`;

/** A code that wraps after a dot or an underscore only. */
const codeOf = (code: string): Markup =>
  html`<code>${code.split(/(?<=[._])/).map((part, index) => [index > 0 && html`<wbr />`, part])}</code>`;

const table = (columns: readonly string[], rows: readonly Markup[]): Markup =>
  html`<table>
    <thead>
      <tr>
        ${columns.map((column) => html`<th scope="col">${column}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;

function row(code: FailureCode): Markup {
  const { kind, title, remedy, whoCanFix, retryable, effect } = failures[code];
  const meaning = effect === 'none' ? title : `${title} (effect: ${effect})`;
  return html`<tr id="${code}">
    <td>${codeOf(code)}</td>
    <td data-label="Status">${statusOfKind[kind]}</td>
    <td>${meaning}</td>
    <td data-label="What to do">${inline(remedy)}</td>
    <td data-label="Who can fix it">${fixerLabels[whoCanFix]}</td>
    <td data-label="Retryable">${retryable ? 'yes' : 'no'}</td>
  </tr>`;
}

const reasonRow = ({ code, place, meaning, remedy }: (typeof reasonCodes)[number]): Markup =>
  html`<tr id="${place}-${code}">
    <td>${codeOf(code)}</td>
    <td>${meaning}</td>
    <td data-label="What to do">${inline(remedy)}</td>
  </tr>`;
