import { refuse, type Problem, type Result, type Surface } from '@switchboard/domain';
import { z } from 'zod';
import { camelize } from './camel.js';
import type { Operation } from '../define.js';
import { describeIssue, problemsOf } from './field-problems.js';
import { findUnsafeJson } from './find-unsafe-json.js';
import { isStorable } from './is-storable.js';

/**
 * An input that passed its schema: in its wire format (for fingerprints) and as the command of the use case.
 */
export interface ParsedInput {
  readonly wire: Readonly<Record<string, unknown>>;
  readonly command: Readonly<Record<string, unknown>>;
}

const compiled = new WeakMap<z.ZodObject, (value: unknown) => unknown>();

/** Strict: unknown fields and wrong types are rejected, each with its path and the expected value. */
export function parseInput(
  operation: Operation,
  surface: Surface,
  raw: unknown,
): Result<ParsedInput, 'request.invalid'> {
  const unsafe = findUnsafeJson(raw);
  if (unsafe) {
    return refuse('request.invalid', `${unsafe.path}: ${unsafe.message}.`, { problems: [unsafe] });
  }
  const schema = surface === 'mcp' ? operation.mcpInput : operation.input;
  const parsed = schema.safeParse(raw, { reportInput: true, error: describeIssue });
  if (!parsed.success) {
    const fields = (path: readonly PropertyKey[]) => [
      ...listFieldNames(schema, path),
      ...(path.length === 0 && surface === 'mcp' ? mcpArgumentNames(operation) : []),
    ];
    const problems = parsed.error.issues.flatMap((issue) => problemsOf(issue, fields));
    const shown = problems
      .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
      .slice(0, 3);
    return refuse('request.invalid', `${shown.join('. ')}.`, { problems });
  }
  const unstorable = findUnstorableStrings(parsed.data);
  if (unstorable.length > 0) {
    const shown = unstorable.map(({ path, message }) => `${path}: ${message}`).slice(0, 3);
    return refuse('request.invalid', `${shown.join('. ')}.`, { problems: unstorable });
  }
  let convert = compiled.get(schema);
  if (!convert) compiled.set(schema, (convert = camelize(schema)));
  return {
    ok: true,
    value: { wire: raw as ParsedInput['wire'], command: convert(parsed.data) as Record<string, unknown> },
  };
}

/** The arguments that MCP adds to an operation's own fields. */
const mcpArgumentNames = (operation: Operation): readonly string[] => [
  ...(operation.idempotent ? ['idempotency_key'] : []),
  ...(operation.settling ? ['wait_seconds'] : []),
];

/** Finds the texts of an input that the database cannot store unchanged: it would reject or alter them. */
function findUnstorableStrings(value: unknown, path: readonly string[] = []): Problem[] {
  if (typeof value === 'string') return isStorable(value) ? [] : [problem(path)];
  if (typeof value !== 'object' || value === null || value instanceof Date) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    isStorable(key) ? findUnstorableStrings(item, [...path, key]) : [problem(path)],
  );
}

const problem = (path: readonly string[]): Problem => ({
  path: path.join('.'),
  code: 'field.invalid',
  message: 'must be well-formed Unicode without NUL characters',
});

/** The field names of the schema at a path; empty when that is not an object. */
export function listFieldNames(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  const [step, ...rest] = path;
  if (schema instanceof z.ZodObject) {
    if (step === undefined) return Object.keys(schema.shape);
    const field: unknown = Object.hasOwn(schema.shape, step) ? schema.shape[String(step)] : undefined;
    return field instanceof z.core.$ZodType ? listFieldNames(field, rest) : [];
  }
  if (schema instanceof z.ZodArray) return step === undefined ? [] : listFieldNames(schema.element, rest);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => listFieldNames(option, path));
  return 'innerType' in schema._zod.def && schema._zod.def.innerType instanceof z.core.$ZodType
    ? listFieldNames(schema._zod.def.innerType, path)
    : [];
}
