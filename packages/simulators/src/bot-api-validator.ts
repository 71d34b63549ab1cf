import { describedFaults, type SchemaCompiler } from './open-api-validator.js';
import { fieldsOf } from './wire/exchange.js';

/** Telegram's Bot API as described by github.com/PaulSonOfLars/telegram-bot-api-spec. */
export interface BotApi {
  readonly types: Readonly<Record<string, TypeDescription>>;
  readonly methods: Readonly<Record<string, FieldDescriptions & { readonly returns: readonly string[] }>>;
}

interface FieldDescriptions {
  readonly fields?: readonly {
    readonly name: string;
    readonly types: readonly string[];
    readonly required: boolean;
  }[];
}

interface TypeDescription extends FieldDescriptions {
  /** One of these types. */
  readonly subtypes?: readonly string[];
}

export interface BotApiCall {
  readonly method: string;
  /** Omitted: no parameters were sent. For a form, its fields: all text or files. */
  readonly sent?: unknown;
  readonly isForm?: boolean;
  readonly status: number;
  readonly answered?: unknown;
}

const PRIMITIVE_TYPES: Readonly<Record<string, object>> = {
  Integer: { type: 'integer' },
  Float: { type: 'number' },
  String: { type: 'string' },
  Boolean: { type: 'boolean' },
  True: { const: true },
  // File contents are not validated.
  InputFile: { type: 'object', required: ['bytes'] },
};

const schemaOf = (type: string): object => {
  const [, item] = /^Array of (.+)$/.exec(type) ?? [];
  if (item !== undefined) return { type: 'array', items: schemaOf(item) };
  return PRIMITIVE_TYPES[type] ?? { $ref: `described#/types/${type}` };
};

const oneOf = (types: readonly string[]): object => ({ anyOf: types.map(schemaOf) });

const objectOf = ({ fields = [] }: FieldDescriptions): object => ({
  type: 'object',
  properties: Object.fromEntries(fields.map(({ name, types }) => [name, oneOf(types)])),
  required: fields.filter(({ required }) => required).map(({ name }) => name),
  additionalProperties: false,
});

const mapped = <Value>(values: Readonly<Record<string, Value>>, schema: (value: Value) => object) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, schema(value)]));

/** https://core.telegram.org/bots/api#making-requests: the envelope of every response. */
const refusal = {
  type: 'object',
  properties: {
    ok: { const: false },
    error_code: { type: 'integer' },
    description: { type: 'string' },
    parameters: { $ref: 'described#/types/ResponseParameters' },
  },
  required: ['ok', 'error_code', 'description'],
  additionalProperties: false,
};
const answerOf = (returns: readonly string[]) => ({
  type: 'object',
  properties: { ok: { const: true }, result: oneOf(returns) },
  required: ['ok', 'result'],
  additionalProperties: false,
});

/**
 * Validates calls and responses against the published description, whose types and methods become JSON
 * schemas. Returns the violations.
 */
export function botApiValidator({ types, methods }: BotApi, compiler: SchemaCompiler) {
  const schemas = {
    types: mapped(types, (type) => (type.subtypes ? oneOf(type.subtypes) : objectOf(type))),
    methods: mapped(methods, objectOf),
    answers: mapped(methods, ({ returns }) => answerOf(returns)),
    refusal,
  };
  compiler.addSchema(schemas, 'described');
  const faults = describedFaults(compiler);

  return function judge({
    method,
    sent = {},
    isForm = false,
    status,
    answered,
  }: BotApiCall): readonly string[] {
    const described = methods[method];
    if (!described) return [`${method} is not described`];
    return [
      ...faults(['methods', method], isForm ? parseForm(sent, described) : sent, `${method} was sent `),
      ...faults(status === 200 ? ['answers', method] : ['refusal'], answered, `${method} answered `),
    ];
  };
}

/**
 * In a form, everything except text is JSON, and attached files are separate fields outside the description.
 */
function parseForm(sent: unknown, { fields = [] }: FieldDescriptions): unknown {
  const attached: readonly string[] = JSON.stringify(sent).match(/(?<=attach:\/\/)\w+/g) ?? [];
  return Object.fromEntries(
    Object.entries(fieldsOf(sent))
      .filter(([name]) => !attached.includes(name))
      .map(([name, value]) => [name, isText(fields, name) ? value : parsed(value)]),
  );
}

const isText = (fields: NonNullable<FieldDescriptions['fields']>, requested: string): boolean =>
  fields.find(({ name }) => name === requested)?.types.includes('String') === true;

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
