import { findClosestName, type Problem, type ProblemCode } from '@switchboard/domain';
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;
type RawIssue = z.core.$ZodRawIssue<Issue>;

const REQUIRED = 'is required';
const LISTED_MAX = 20;

/**
 * The sentence about an issue for which the schema has none of its own: what to send. Passed to every parse of
 * a caller's input, so that no text of the schema library reaches a caller.
 */
export function describeIssue(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? REQUIRED
        : `must be ${typeNames[issue.expected] ?? issue.expected}, not ${describeValue(issue.input)}`;
    case 'invalid_value':
      return `must be ${listOf(issue.values.map((value) => (typeof value === 'string' ? `"${value}"` : String(value))))}`;
    case 'too_small':
      return describeMinimum(issue);
    case 'too_big':
      return describeMaximum(issue);
    case 'invalid_format':
      return `must be ${formatNames[issue.format] ?? 'in the documented format'}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `must not have ${listOf(issue.keys)}`;
    case 'invalid_key':
      return `has a key that ${firstSentence(issue.issues)}`;
    case 'invalid_element':
      return `has an element that ${firstSentence(issue.issues)}`;
    case 'invalid_union':
      return issue.input === undefined ? REQUIRED : describeAlternatives(issue.errors);
    default:
      return 'must be as documented';
  }
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const formatNames: Readonly<Record<string, string>> = {
  datetime: 'a time such as 2026-12-01T09:00:00Z',
  date: 'a date such as 2026-12-01',
  time: 'a time of day such as 09:00',
  email: 'an e-mail address',
  url: 'a URL',
};

function describeValue(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return 'a string';
    case 'boolean':
      return String(value);
    case 'number':
      return Number.isInteger(value) ? 'a number' : String(value);
    default:
      return 'an object';
  }
}

type Bound<Code> = Extract<Issue, { readonly code: Code }>;

function describeMinimum({
  origin,
  minimum,
  inclusive,
  exact,
}: Omit<Bound<'too_small'>, 'message' | 'path'>): string {
  const [unit, units] = unitsOf(origin);
  if (unit === '') return `must be ${inclusive ? 'at least' : 'greater than'} ${minimum}`;
  if (exact) return `must have exactly ${count(minimum, unit, units)}`;
  return Number(minimum) === 1 ? 'must not be empty' : `must have at least ${count(minimum, unit, units)}`;
}

function describeMaximum({
  origin,
  maximum,
  inclusive,
  exact,
}: Omit<Bound<'too_big'>, 'message' | 'path'>): string {
  const [unit, units] = unitsOf(origin);
  if (unit === '') return `must be ${inclusive ? 'at most' : 'less than'} ${maximum}`;
  return `must have ${exact ? 'exactly' : 'at most'} ${count(maximum, unit, units)}`;
}

/** Empty for a number. */
function unitsOf(origin: string): readonly [unit: string, units: string] {
  if (origin === 'string') return ['character', 'characters'];
  if (origin === 'array' || origin === 'set') return ['item', 'items'];
  return origin === 'object' || origin === 'record' ? ['field', 'fields'] : ['', ''];
}

const count = (many: number | bigint, unit: string, units: string) =>
  `${many} ${Number(many) === 1 ? unit : units}`;

function listOf(values: readonly string[]): string {
  const shown = values.slice(0, LISTED_MAX);
  if (values.length > LISTED_MAX) return `one of ${shown.join(', ')} and ${values.length - LISTED_MAX} more`;
  const last = shown.at(-1) ?? '';
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} or ${last}`;
}

const firstSentence = ([first]: readonly Issue[]): string => first?.message ?? 'must be as documented';

/** A value that fits none of several schemas: the sentence of each about the whole value. */
const describeAlternatives = (alternatives: readonly (readonly Issue[])[]): string => {
  const sentences = alternatives.map((issues) => firstSentence(issues));
  return [...new Set(sentences)].join(', or ');
};

/** The problems of an issue, with the path and the code of each field. */
export function problemsOf(
  issue: Issue,
  fields: (path: readonly PropertyKey[]) => readonly string[] = () => [],
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
  const { message } = issue;
  if (message === REQUIRED) return [{ path, code: 'field.required', message }];
  if (issue.code === 'invalid_type' && issue.input === undefined)
    return [{ path, code: 'field.required', message: `${REQUIRED}: ${message}` }];
  return [{ path, code: fieldCodes[issue.code], message }];
}

const fieldCodes: Readonly<Record<Exclude<Issue['code'], 'unrecognized_keys'>, ProblemCode>> = {
  invalid_type: 'field.invalid_type',
  invalid_value: 'field.invalid_value',
  invalid_format: 'field.invalid_format',
  invalid_key: 'field.invalid_key',
  invalid_element: 'field.invalid_element',
  too_small: 'field.too_small',
  too_big: 'field.too_big',
  not_multiple_of: 'field.not_multiple_of',
  // These codes of the schema library give a caller no information.
  custom: 'field.invalid',
  invalid_union: 'field.invalid',
};
