import { failure, failures, type FailureCode } from '@switchboard/domain';
import { alternatives, components, createErrorResponse, problemDetailsSchema } from '@switchboard/operations';
import { z } from 'zod';
import { fixedComponents, headerRef, rateLimitHeaderRefs } from './fixed-components.js';
import { inRestTerms } from './rest-terms.js';

export type Schema = Record<string, unknown>;
type Io = 'input' | 'output';

/** What zod knows of a schema, and the name under which the document lists it. */
const metadata = z.registry<z.core.GlobalMeta>();
metadata.get = (schema: z.core.$ZodType) => ({ ...z.globalRegistry.get(schema), ...components.get(schema) });

const RETRY_LATER = [409, 429, 502, 503];

/** Collects the components while the operations that refer to them are described. */
export class ComponentWriter {
  readonly #schemas: Record<string, Schema> = {};
  readonly #examples: Record<string, unknown> = {};
  readonly #codes = new Map<number, Set<FailureCode>>();

  /** JSON Schema for OpenAPI 3.1, of a request (`input`) or a response (`output`). A named schema is a reference. */
  schemaOf(schema: z.ZodType, io: Io): Schema {
    const {
      $schema: _,
      $defs = {},
      ...rest
    } = z.toJSONSchema(schema, {
      io,
      metadata,
      // A file has no JSON; the metadata beside its schema is the OpenAPI description of a file.
      unrepresentable: 'any',
      override: ({ zodSchema, jsonSchema }) => {
        const possible = alternatives.get(zodSchema);
        if (possible)
          becomeOneOf(
            jsonSchema,
            possible.map((one) => this.schemaOf(one, io)),
          );
        simplify(jsonSchema, io);
      },
    });
    for (const [name, definition] of Object.entries($defs))
      this.#addSchema(name, relocateReferences(definition));
    return relocateReferences(rest);
  }

  /** A body of a response. The example of a named schema, and of the items of a page, is in the schema. */
  contentOf(output: z.ZodObject, example: Readonly<Record<string, unknown>>): object {
    const schema = this.schemaOf(output, 'output');
    if (this.#addExample(schema, example)) return { schema };
    const { data } = (schema['properties'] ?? {}) as { readonly data?: { readonly items?: Schema } };
    const [first] = Array.isArray(example['data']) ? (example['data'] as readonly unknown[]) : [];
    const isInItems = data?.items && first !== undefined && this.#addExample(data.items, first);
    return isInItems ? { schema } : { schema, example };
  }

  /** The fields of an input, whether it is named or not. */
  fieldsOf(input: z.ZodObject): { properties: Record<string, Schema>; required: readonly string[] } {
    const written = this.schemaOf(input, 'input');
    const name = componentName(written);
    const { properties = {}, required = [] } = (name === null ? written : this.#schemas[name]) as {
      properties?: Record<string, Schema>;
      required?: string[];
    };
    return { properties, required };
  }

  /** The response of the status, and the codes when they are particular to one operation. */
  problemOf(status: number, codes: readonly FailureCode[], isParticular: boolean): object {
    const known = this.#codes.get(status) ?? new Set();
    this.#codes.set(status, known);
    for (const code of codes) known.add(code);
    return {
      $ref: `#/components/responses/${status}`,
      ...(isParticular && { description: listCodes(codes) }),
    };
  }

  /** Everything that the described operations refer to. */
  components(
    parameters: Readonly<Record<string, object>>,
    successes: Readonly<Record<string, object>>,
  ): object {
    const problem = this.schemaOf(problemDetailsSchema, 'output');
    const schemas = Object.entries(this.#schemas).sort(([a], [b]) => (a < b ? -1 : 1));
    const responses = [...this.#codes].sort(([a], [b]) => a - b);
    return {
      ...fixedComponents,
      parameters: { ...fixedComponents.parameters, ...parameters },
      schemas: Object.fromEntries(
        schemas.map(([name, definition]) => [
          name,
          name in this.#examples ? { ...definition, examples: [this.#examples[name]] } : definition,
        ]),
      ),
      responses: {
        ...fixedComponents.responses,
        ...successes,
        ...Object.fromEntries(
          responses.map(([status, codes]): [string, object] => [
            String(status),
            problemResponse(status, [...codes], problem),
          ]),
        ),
      },
    };
  }

  /** Whether the schema is named; its first example stays. */
  #addExample(schema: Schema, example: unknown): boolean {
    const name = componentName(schema);
    if (name === null) return false;
    this.#examples[name] ??= example;
    return true;
  }

  #addSchema(name: string, definition: Schema): void {
    const known = this.#schemas[name];
    if (known && JSON.stringify(known) !== JSON.stringify(definition)) {
      throw new Error(`Two schemas are named ${name}, or one differs between requests and responses.`);
    }
    this.#schemas[name] = definition;
  }
}

const componentName = ({ $ref }: Schema): string | null =>
  typeof $ref === 'string' ? $ref.replace(/^.*\//, '') : null;

const relocateReferences = (schema: object): Schema =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as Schema;

function becomeOneOf(schema: z.core.JSONSchema.BaseSchema, possible: readonly Schema[]): void {
  for (const key of Object.keys(schema)) delete schema[key];
  if (possible.length === 1) Object.assign(schema, possible[0]);
  else schema.oneOf = [...possible];
}

/** Removes what neither a reader nor a generated client needs. */
function simplify(schema: z.core.JSONSchema.BaseSchema, io: Io): void {
  if (schema.description !== undefined) schema.description = inRestTerms(schema.description);
  // A response may gain fields; a request with an unknown field is rejected.
  if (io === 'output' && schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  // The pattern of a date-time has 300 characters.
  if (schema.format !== undefined) delete schema.pattern;
  // Names of properties are always strings.
  if (JSON.stringify(schema.propertyNames) === '{"type":"string"}') delete schema.propertyNames;
  mergeNullable(schema);
}

/** Writes "a time or null" as one schema with both types. */
function mergeNullable(schema: z.core.JSONSchema.BaseSchema): void {
  const [one, other, ...more] = schema.anyOf ?? [];
  const isMergeable =
    typeof one?.type === 'string' && one.enum === undefined && one.properties === undefined && !one.items;
  if (!isMergeable || other?.type !== 'null' || more.length > 0) return;
  delete schema.anyOf;
  Object.assign(schema, { ...one, ...schema, type: [one.type, 'null'] });
}

/** Their titles are in the list at /docs/errors; here they would be a fiftieth of the document. */
const listCodes = (codes: readonly FailureCode[]): string => codes.map((code) => `\`${code}\``).join(', ');

function problemResponse(status: number, codes: readonly FailureCode[], schema: Schema): object {
  const [first] = codes;
  return {
    description: listCodes(codes),
    headers: {
      'X-Request-Id': headerRef('XRequestId'),
      // Without a valid key there is no quota to report.
      ...(status === 401 ? { 'WWW-Authenticate': headerRef('WwwAuthenticate') } : rateLimitHeaderRefs),
      ...(RETRY_LATER.includes(status) && { 'Retry-After': headerRef('RetryAfter') }),
    },
    content: {
      'application/problem+json': { schema, ...(first && { example: exampleOf(first) }) },
    },
  };
}

/** One for each status: the problems of its other codes differ in few fields, and would be a sixth of the document. */
const exampleOf = (code: FailureCode) =>
  createErrorResponse(failure(code, `${failures[code].title}.`), 'req_01kah3v5w8e2m6r9t0x4y7z1ab').value;
