import { refuse, type Problem, type Result, type Surface } from '@switchboard/domain';
import type { z } from 'zod';
import { camelize } from './camel.js';
import type { Operation } from '../define.js';
import { listFieldNames } from './list-field-names.js';
import { findUnsafeJson } from './find-unsafe-json.js';
import { findClosestName } from './find-closest-name.js';
import { findUnstorableStrings } from './find-unstorable-strings.js';

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
  const parsed = schema.safeParse(raw, { reportInput: true });
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

function problemsOf(
  issue: z.core.$ZodIssue,
  fields: (path: readonly PropertyKey[]) => readonly string[],
): Problem[] {
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const suggestion = findClosestName(key, fields(issue.path));
      return {
        path: path === '' ? key : `${path}.${key}`,
        code: 'field.unknown',
        message: `unknown field${suggestion === null ? '' : `: did you mean ${suggestion}?`}`,
      };
    });
  }
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    const hint = issue.message.startsWith('Invalid input') ? '' : `: ${issue.message}`;
    return [{ path, code: 'field.required', message: `is required${hint}` }];
  }
  const code = uninformativeCodes.has(issue.code) ? 'field.invalid' : `field.${issue.code}`;
  return [{ path, code, message: issue.message.replace(/^Invalid input: /, '') }];
}

/** Codes of the schema library that give a caller no information. */
const uninformativeCodes = new Set<z.core.$ZodIssue['code']>(['custom', 'invalid_union']);
