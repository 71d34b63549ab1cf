import { html, type Markup } from '../pages/html.js';
import { componentName, type ApiSchema } from './api-document.js';
import { inline } from './prose.js';

interface Field {
  readonly name: string;
  readonly schema: ApiSchema;
  readonly required: boolean;
}

/** The fields of an object with those inside it, as `line_items[].quantity`; a named schema is a link. */
export function schemaTable(schema: ApiSchema): Markup {
  const fields = fieldsOf(schema, '');
  if (fields.length === 0) return html`<p>${typeOf(schema)}</p>`;
  return fieldTable(fields);
}

export const fieldTable = (fields: readonly Field[]): Markup =>
  html`<table>
    ${fields.map(
      ({ name, schema, required }) =>
        html`<tr>
          <td><code>${name}</code>${required ? html` <em>required</em>` : null}</td>
          <td>
            <span class="type">${typeOf(schema)}</span>
            ${schema.description === undefined ? null : inline(schema.description)}
            ${
              schema.default === undefined
                ? null
                : html`Default: <code>${JSON.stringify(schema.default)}</code>.`
            }
          </td>
        </tr>`,
    )}
  </table>`;

function fieldsOf(schema: ApiSchema, prefix: string): readonly Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
    const name = `${prefix}${key}`;
    const field = { name, schema: value, required: schema.required?.includes(key) ?? false };
    return [field, ...nestedFieldsOf(value, name)];
  });
}

function nestedFieldsOf(schema: ApiSchema, name: string): readonly Field[] {
  if (schema.properties) return fieldsOf(schema, `${name}.`);
  if (schema.items) return nestedFieldsOf(schema.items, `${name}[]`);
  return (schema.anyOf ?? []).flatMap((one) => nestedFieldsOf(one, name));
}

/** The type in the words of JSON. */
export function typeOf(schema: ApiSchema): Markup {
  if (schema.$ref !== undefined) {
    const name = componentName({ $ref: schema.$ref });
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return html`${alternatives.map((one, index) => [index > 0 ? ' or ' : '', typeOf(one)])}`;
  if (schema.enum)
    return html`${schema.enum.map((value, index) => [index > 0 ? ', ' : '', html`<code>${String(value)}</code>`])}`;
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.items) return html`list of ${typeOf(schema.items)}`;
  const type = [schema.type ?? 'any'].flat().join(' or ');
  return html`${schema.format === undefined ? type : `${type} (${schema.format})`}`;
}
