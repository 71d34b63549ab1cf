import type { z } from 'zod';

type Copy = (value: unknown) => unknown;

const copies = new WeakMap<z.ZodType, Copy>();

/**
 * What `schema.parse` returns, or throws. For the types that responses consist of it is a function that is compiled
 * from the schema at its first use: Zod allocates a result for every field and lets objects grow field by field, which
 * was a quarter of all memory that a list of connections allocated (docs/decisions/016-where-the-time-goes.md).
 */
export function parseOutput<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  let copy = copies.get(schema);
  if (!copy) copies.set(schema, (copy = compileCopy(schema)));
  try {
    return copy(value) as z.output<Schema>;
  } catch (error) {
    if (error !== MISFIT) throw error;
    return schema.parse(value);
  }
}

/** Thrown for a value that the schema may refuse: Zod decides, and names the field. */
const MISFIT = new Error('the value does not have the type of the schema');

const refuse = (): never => {
  throw MISFIT;
};

/** The functions and sets that the code of a copy refers to, by their position. */
type Constants = unknown[];

function compileCopy(schema: z.core.$ZodType): Copy {
  const constants: Constants = [refuse];
  const body = copyExpression(schema, 'value', constants);
  return evaluate(`(value) => ${body}`, constants);
}

/** The code contains names of fields, as JSON, and otherwise only what this file writes. */
const evaluate = (code: string, constants: Constants): Copy =>
  // oxlint-disable-next-line typescript/no-implied-eval
  (new Function('$', `"use strict"; return ${code}`) as (constants: Constants) => Copy)(constants);

/** An expression that copies the variable `name`. */
function copyExpression(schema: z.core.$ZodType, name: string, constants: Constants): string {
  const constant = (value: unknown) => `$[${constants.push(value) - 1}]`;
  const when = (condition: string) => `(${condition} ? ${name} : $[0]())`;
  const call = (copy: Copy) => `${constant(copy)}(${name})`;
  const { def } = schema._zod;
  if (def.checks?.length) return call(parserOf(schema));
  switch (def.type) {
    case 'string':
      return isPlainText(def) ? when(`typeof ${name} === "string"`) : call(parserOf(schema));
    case 'boolean':
      return when(`typeof ${name} === "boolean"`);
    case 'number':
      return isInteger(def) ? when(`Number.isSafeInteger(${name})`) : call(parserOf(schema));
    case 'enum':
      return when(`${constant(new Set(Object.values((def as z.core.$ZodEnumDef).entries)))}.has(${name})`);
    case 'unknown':
      return when(`${name} !== undefined`);
    case 'nullable':
      return `(${name} === null ? null : ${copyExpression((def as z.core.$ZodNullableDef).innerType, name, constants)})`;
    case 'record': {
      const { keyType, valueType } = def as z.core.$ZodRecordDef;
      return isPlainText(keyType._zod.def)
        ? call(copyRecord(compileCopy(valueType)))
        : call(parserOf(schema));
    }
    case 'array':
      return call(copyArray(compileCopy((def as z.core.$ZodArrayDef).element)));
    case 'object':
      return isStripped(def as z.core.$ZodObjectDef)
        ? call(compileObject((def as z.core.$ZodObjectDef).shape))
        : call(parserOf(schema));
    default:
      return call(parserOf(schema));
  }
}

const isPlainText = (def: z.core.$ZodTypeDef): boolean =>
  def.type === 'string' && !def.checks?.length && !('check' in def);
const isInteger = (def: object): boolean => 'format' in def && def.format === 'safeint';
const isStripped = ({ catchall }: z.core.$ZodObjectDef): boolean => catchall === undefined;

/** As a literal, an object has all its fields from the beginning. */
function compileObject(shape: z.core.$ZodShape): Copy {
  const constants: Constants = [refuse];
  const fields = Object.entries(shape).map(([key, schema], index) => {
    const { def } = schema._zod;
    const isOptional = def.type === 'optional';
    const inner = isOptional ? (def as z.core.$ZodOptionalDef).innerType : schema;
    return { name: JSON.stringify(key), variable: `v${index}`, isOptional, inner };
  });
  const read = fields.map(({ name, variable }) => `const ${variable} = value[${name}];`);
  const copy = ({ inner, variable }: (typeof fields)[number]) => copyExpression(inner, variable, constants);
  const result = fields.some(({ isOptional }) => isOptional)
    ? [
        'const copy = {};',
        ...fields.map((field) =>
          field.isOptional
            ? `if (${field.variable} !== undefined) copy[${field.name}] = ${copy(field)};
               else if (${field.name} in value) copy[${field.name}] = undefined;`
            : `copy[${field.name}] = ${copy(field)};`,
        ),
        'return copy;',
      ]
    : [`return { ${fields.map((field) => `${field.name}: ${copy(field)}`).join(', ')} };`];
  return evaluate(
    `(value) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) $[0]();
      ${[...read, ...result].join('\n')}
    }`,
    constants,
  );
}

const copyArray =
  (copyElement: Copy): Copy =>
  (value) => {
    if (!Array.isArray(value)) return refuse();
    const copy: unknown[] = [];
    for (const element of value as unknown[]) copy.push(copyElement(element));
    return copy;
  };

const copyRecord =
  (copyEntry: Copy): Copy =>
  (value) => {
    if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
      return refuse();
    const copy: Record<string, unknown> = {};
    for (const [key, entry] of Object.entries(value))
      copy[key === '__proto__' ? refuse() : key] = copyEntry(entry);
    return copy;
  };

/** For the rare types: Zod copies the value. */
const parserOf =
  (schema: z.core.$ZodType): Copy =>
  (value) => {
    const parsed = (schema as z.ZodType).safeParse(value);
    return parsed.success ? parsed.data : refuse();
  };
