import type { Operation } from '@switchboard/operations';
import type { JsonObject } from './json.js';

/** The kinds of resources, by ID prefix. */
const resourceTypes = {
  wsp: 'workspace',
  prf: 'profile',
  con: 'connection',
  cns: 'connect_session',
  pst: 'post',
  dlv: 'delivery',
  med: 'media',
  ord: 'order',
  quo: 'quote',
  rfd: 'refund',
  key: 'key',
  cli: 'client',
  whk: 'webhook',
  whd: 'webhook_delivery',
  evt: 'event',
  apr: 'approval',
  att: 'attention_item',
} as const;

export type ResourceType = (typeof resourceTypes)[keyof typeof resourceTypes] | 'platform';

/**
 * Platform-assigned IDs: they are looked up at the platform or stored as text, and never looked up in our
 * tables.
 */
export const platformIdFields: readonly string[] = [
  'external_id',
  'client_id',
  'account_id',
  'app.client_id',
  'payment_id',
  'line_items.[].id',
  'line_items.[].location_id',
];

/** A place in an operation's input that names a resource; `[]` represents each element of a list. */
export interface IdField {
  readonly path: string;
  readonly resourceType: ResourceType;
}

interface Schema {
  readonly type?: string;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
}

const looksLikeAnId = /(^|_)ids?$/;
const ELEMENT = '[]';

/**
 * Every place of the input where an ID can occur, derived only from its schema, so that new operations and
 * fields are found automatically. Throws for a field named like an ID whose kind is unclear.
 */
export function findIdFields({ name, input }: Pick<Operation, 'name' | 'input'>): readonly IdField[] {
  const places = new Map<string, IdField>();
  const walk = (schema: Schema, path: readonly string[]): void => {
    for (const inner of schema.anyOf ?? []) walk(inner, path);
    for (const [key, inner] of Object.entries(schema.properties ?? {})) walk(inner, [...path, key]);
    if (schema.items) walk(schema.items, [...path, ELEMENT]);
    if (schema.type !== 'string') return;
    const place = path.join('.');
    const resourceType = getResourceType(schema, path.filter((step) => step !== ELEMENT).at(-1) ?? '');
    if (resourceType) places.set(place, { path: place, resourceType });
    else if (
      looksLikeAnId.test(path.at(-1) ?? '') &&
      !platformIdFields.includes(place.replace(/^(posts|connections)\.\[]\./, ''))
    )
      throw new Error(`${name}: ${place} is named like an ID; add an example with the prefix of its kind`);
  };
  walk(toInputSchema(input), []);
  return [...places.values()];
}

function getResourceType({ examples }: Schema, field: string): ResourceType | null {
  const [example] = examples ?? [];
  if (typeof example !== 'string') return null;
  const prefix = /^([a-z]{3})_[\w-]{20,}$/.exec(example)?.[1];
  if (prefix !== undefined) {
    if (!Object.hasOwn(resourceTypes, prefix))
      throw new Error(`${example} has no known ID prefix (see id-fields.ts)`);
    return resourceTypes[prefix as keyof typeof resourceTypes];
  }
  return /^(platforms?|id)$/.test(field) ? 'platform' : null;
}

const inputSchemas = new WeakMap<Operation['input'], Schema>();

function toInputSchema(input: Operation['input']): Schema {
  const known = inputSchemas.get(input);
  if (known) return known;
  const schema = input.toJSONSchema({ io: 'input', unrepresentable: 'any' }) as Schema;
  inputSchemas.set(input, schema);
  return schema;
}

/** The base input with an ID in that place: alone when a list holds it, and again after a valid element. */
export function createInputsWithId(
  { input }: Pick<Operation, 'input'>,
  { path }: IdField,
  base: JsonObject,
  id: string,
  own: string,
): readonly JsonObject[] {
  const put = (schema: Schema, [step, ...rest]: readonly string[], old: unknown): readonly unknown[] => {
    if (step === undefined) return [id];
    const here = [schema, ...(schema.anyOf ?? [])].find((one) =>
      step === ELEMENT ? one.items : one.properties,
    );
    if (step === ELEMENT) {
      const before = Array.isArray(old) ? (old as readonly unknown[]) : [];
      const first = before[0] ?? (rest.length === 0 ? own : undefined);
      const changed = put(here?.items ?? {}, rest, before[0]);
      return changed.flatMap((one) => (first === undefined ? [[one]] : [[one], [first, one]]));
    }
    const inner = put(here?.properties?.[step] ?? {}, rest, (old as JsonObject | undefined)?.[step]);
    return inner.map((one) => ({ ...(old ?? createRequiredFields(here)), [step]: one }));
  };
  // Undefined values are omitted, as on a wire.
  return JSON.parse(JSON.stringify(put(toInputSchema(input), path.split('.'), base))) as JsonObject[];
}

const createRequiredFields = (schema: Schema | undefined): JsonObject =>
  Object.fromEntries(
    (schema?.required ?? []).map((name) => [name, createSample(schema?.properties?.[name])]),
  );

function createSample({ type, examples, minimum }: Schema = {}): unknown {
  return examples?.[0] ?? (type === 'string' ? 'x' : type === 'boolean' ? false : Math.max(minimum ?? 1, 1));
}
