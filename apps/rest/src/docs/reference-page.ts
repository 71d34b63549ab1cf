import { STATUS_CODES } from 'node:http';
import { failures, type FailureCode } from '@switchboard/domain';
import { html, type Markup } from '../pages/html.js';
import {
  componentName,
  type ApiDocument,
  type ApiOperation,
  type ApiParameter,
  type ApiSchema,
} from './api-document.js';
import { docsLayout } from './docs-layout.js';
import { inline, prose } from './prose.js';
import { fieldTable, schemaTable, typeOf } from './schema-table.js';
import { tryForm } from './try-form.js';

interface Route {
  readonly method: string;
  readonly path: string;
  readonly operation: ApiOperation;
}

/** The whole OpenAPI document as one page, readable without its script, which searches and sends requests. */
export function referencePage(document: ApiDocument): Markup {
  const routes = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Route => ({ method, path, operation })),
  );
  const areas = document.tags.map((tag) => ({
    ...tag,
    routes: routes.filter(({ operation }) => operation.tags.includes(tag.name)),
  }));
  return docsLayout(
    'API',
    html`<script src="/docs/docs.js" defer></script>`,
    html`<div class="reference">
      <aside>
        <search>
          <label>Search <input type="search" id="search" autocomplete="off" /></label>
          <p id="found" role="status"></p>
        </search>
        <label>API key <input type="password" id="key" autocomplete="off" placeholder="swb_…" /></label>
        <nav aria-label="Operations">
          ${areas.map(({ name, routes: some }) => areaLinks(name, some))}
          <a href="#errors">Errors by status</a> <a href="#schemas">Schemas</a>
        </nav>
      </aside>
      <main>
        <h1>${document.info.title} ${document.info.version}</h1>
        <div class="prose">${prose(document.info.description)}</div>
        ${areas.map(
          ({ name, description, routes: some }) =>
            html`<section>
              <h2 id="area-${name}">${name}</h2>
              <p>${inline(description)}</p>
              ${some.map((route) => operationArticle(document, route))}
              ${name === 'webhooks' ? messagesArticle(document) : null}
            </section>`,
        )}
        <section>
          <h2 id="errors">Errors by status</h2>
          ${Object.entries(document.components.responses).map(errorArticle)}
        </section>
        <section>
          <h2 id="schemas">Schemas</h2>
          ${Object.entries(document.components.schemas).map(schemaArticle)}
        </section>
      </main>
    </div>`,
  );
}

const areaLinks = (name: string, routes: readonly Route[]): Markup =>
  html`<h3>${name}</h3>
    <ul>
      ${routes.map(
        ({ operation: { operationId } }) => html`<li><a href="#${operationId}">${operationId}</a></li>`,
      )}
    </ul>`;

function operationArticle(document: ApiDocument, { method, path, operation }: Route): Markup {
  const parameters = operation.parameters.map((parameter) =>
    '$ref' in parameter
      ? (document.components.parameters[componentName(parameter)] as ApiParameter)
      : parameter,
  );
  return html`<article class="operation" id="${operation.operationId}">
    <h3><a href="#${operation.operationId}">${operation.summary}</a></h3>
    <p class="route"><span class="method">${method}</span> <code>${path}</code></p>
    <div class="prose">${prose(operation.description)}</div>
    ${
      parameters.length === 0
        ? null
        : html`<h4>Parameters</h4>
            ${fieldTable(parameters.map(parameterRow))}`
    }
    ${bodyOf(operation)} ${successOf(document, operation)} ${failuresOf(operation)}
    ${tryForm(operation, method, path, parameters)}
  </article>`;
}

/** What an endpoint of the caller receives. */
const messagesArticle = ({ webhooks }: ApiDocument): Markup =>
  html`<article id="messages">
    <h3>Messages to an endpoint</h3>
    ${fieldTable(
      Object.entries(webhooks).map(([name, { post }]) => {
        const schema = post.requestBody?.content['application/json']?.schema;
        return { name, required: false, schema: { ...schema, description: post.summary } };
      }),
    )}
  </article>`;

const parameterRow = ({ name, in: place, required = false, description = '', schema }: ApiParameter) => {
  const where = place === 'header' ? 'Header.' : '';
  return { name, required, schema: { ...schema, description: [where, description].join(' ').trim() } };
};

function bodyOf({ requestBody }: ApiOperation): Markup | null {
  if (!requestBody) return null;
  return html`${Object.entries(requestBody.content).map(
    ([type, { schema }]) =>
      html`<h4>Body <code>${type}</code></h4>
        ${schemaTable(schema)}`,
  )}`;
}

function successOf({ components }: ApiDocument, { responses }: ApiOperation): Markup {
  const [[status, described] = ['', null]] = Object.entries(responses);
  const response =
    described && '$ref' in described ? components.responses[componentName(described)] : described;
  const content = response?.content?.['application/json'];
  return html`<h4>Response ${status}</h4>
    ${content ? schemaTable(content.schema) : html`<p>No content.</p>`}
    ${content?.example === undefined ? null : exampleOf('Example', content.example)}`;
}

function failuresOf({ responses }: ApiOperation): Markup {
  const failing = Object.entries(responses).filter(([status]) => Number(status) >= 400);
  return html`<details>
    <summary>Errors</summary>
    <ul class="failures">
      ${failing.map(([status, response]) => {
        const name = '$ref' in response ? componentName(response) : status;
        const codes = '$ref' in response ? codesIn(response.description) : [];
        return html`<li>
          <a href="#error-${name}">${status}</a>
          ${codes.map((code) => html`<a href="/docs/errors#${code}"><code>${code}</code></a> `)}
        </li>`;
      })}
    </ul>
  </details>`;
}

const exampleOf = (title: string, value: unknown): Markup =>
  html`<details>
    <summary>${title}</summary>
    <pre tabindex="0">${JSON.stringify(value, null, 2)}</pre>
  </details>`;

/** The API document lists the codes of a response without their titles. */
const codesIn = (description = ''): readonly FailureCode[] =>
  [...description.matchAll(/`([^`]+)`/g)].flatMap(([, code = '']) => (isFailureCode(code) ? [code] : []));
const isFailureCode = (code: string): code is FailureCode => Object.hasOwn(failures, code);

/** Null for a response that is not a failure. */
function errorArticle([name, response]: [
  string,
  ApiDocument['components']['responses'][string],
]): Markup | null {
  const problem = response.content?.['application/problem+json'];
  if (!problem) return null;
  return html`<article id="error-${name}">
    <h3>${name} ${STATUS_CODES[name]}</h3>
    <ul class="failures">
      ${codesIn(response.description).map(
        (code) =>
          html`<li>
            <a href="/docs/errors#${code}"><code>${code}</code></a> ${failures[code].title}.
          </li>`,
      )}
    </ul>
    ${problem.example === undefined ? null : exampleOf('Example', problem.example)}
  </article>`;
}

const schemaArticle = ([name, schema]: [string, ApiSchema]): Markup =>
  html`<article id="schema-${name}">
    <h3>${name}</h3>
    ${schema.description === undefined ? null : html`<p>${inline(schema.description)}</p>`}
    ${schema.properties ? schemaTable(schema) : html`<p>${typeOf(schema)}</p>`}
    ${schema.examples?.[0] === undefined ? null : exampleOf('Example', schema.examples[0])}
  </article>`;
