import { refuse, type Problem, type Result, type Surface } from '@switchboard/domain';
import type { z } from 'zod';
import { camelize } from './camel.js';
import type { Operation } from './define.js';
import { fieldsAt } from './fields-at.js';
import { hostileJson } from './hostile-json.js';
import { nearest } from './nearest.js';
import { unkeptTexts } from './unkept-texts.js';

/** An input that passed its schema: as on the wire (for fingerprints) and as the use case's command. */
export interface ParsedInput {
  readonly wire: unknown;
  readonly command: Readonly<Record<string, unknown>>;
}

const compiled = new WeakMap<z.ZodObject, (value: unknown) => unknown>();

/** Strict: unknown fields and wrong types are refused, each with its path and what is expected. */
export function parseInput(
  operation: Operation,
  surface: Surface,
  raw: unknown,
): Result<ParsedInput, 'request.invalid'> {
  const hostile = hostileJson(raw);
  if (hostile) {
    return refuse('request.invalid', `${hostile.path}: ${hostile.message}.`, { problems: [hostile] });
  }
  const schema = surface === 'mcp' ? operation.mcpInput : operation.input;
  const parsed = schema.safeParse(raw, { reportInput: true });
  if (!parsed.success) {
    const fields = (path: readonly PropertyKey[]) => [
      ...fieldsAt(schema, path),
      ...(path.length === 0 && surface === 'mcp' ? argumentsBeside(operation) : []),
    ];
    const problems = parsed.error.issues.flatMap((issue) => problemsOf(issue, fields));
    const shown = problems
      .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
      .slice(0, 3);
    return refuse('request.invalid', `${shown.join('. ')}.`, { problems });
  }
  const unkept = unkeptTexts(parsed.data);
  if (unkept.length > 0) {
    const shown = unkept.map(({ path, message }) => `${path}: ${message}`).slice(0, 3);
    return refuse('request.invalid', `${shown.join('. ')}.`, { problems: unkept });
  }
  let convert = compiled.get(schema);
  if (!convert) compiled.set(schema, (convert = camelize(schema)));
  return { ok: true, value: { wire: raw, command: convert(parsed.data) as Record<string, unknown> } };
}

/** What MCP carries beside an operation's own fields. */
const argumentsBeside = (operation: Operation): readonly string[] => [
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
      const meant = nearest(key, fields(issue.path));
      return {
        path: path === '' ? key : `${path}.${key}`,
        code: 'field.unknown',
        message: `there is no such field${meant === null ? '' : `: did you mean ${meant}?`}`,
      };
    });
  }
  if (issue.code === 'invalid_type' && issue.input === undefined) {
    const whence = issue.message.startsWith('Invalid input') ? '' : `: ${issue.message}`;
    return [{ path, code: 'field.required', message: `is required${whence}` }];
  }
  const code = vague.has(issue.code) ? 'field.invalid' : `field.${issue.code}`;
  return [{ path, code, message: issue.message.replace(/^Invalid input: /, '') }];
}

/** Codes of the schema library that tell a caller nothing. */
const vague = new Set<z.core.$ZodIssue['code']>(['custom', 'invalid_union']);
