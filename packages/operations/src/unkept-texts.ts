import type { Problem } from '@switchboard/domain';
import { isKeepable } from './is-keepable.js';

const DEEPEST = 32;

/** Texts of an input that a database cannot keep as they are: they would fail there, or come back as others. */
export function unkeptTexts(value: unknown, path: readonly string[] = []): Problem[] {
  if (typeof value === 'string') return isKeepable(value) ? [] : [problem(path, UNKEPT)];
  if (typeof value !== 'object' || value === null || value instanceof Date) return [];
  if (path.length > DEEPEST) return [problem(path, 'is nested too deeply')];
  return Object.entries(value).flatMap(([key, item]) =>
    isKeepable(key) ? unkeptTexts(item, [...path, key]) : [problem(path, UNKEPT)],
  );
}

const UNKEPT = 'must be well-formed Unicode without NUL characters';

const problem = (path: readonly string[], message: string): Problem => ({
  path: path.join('.'),
  code: 'field.invalid',
  message,
});
