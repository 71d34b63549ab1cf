import type { Problem } from '@switchboard/domain';
import { isKeepable } from './is-keepable.js';

/** Texts of an input that a database cannot keep as they are: they would fail there, or come back as others. */
export function unkeptTexts(value: unknown, path: readonly string[] = []): Problem[] {
  if (typeof value === 'string') return isKeepable(value) ? [] : [problem(path)];
  if (typeof value !== 'object' || value === null || value instanceof Date) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    isKeepable(key) ? unkeptTexts(item, [...path, key]) : [problem(path)],
  );
}

const problem = (path: readonly string[]): Problem => ({
  path: path.join('.'),
  code: 'field.invalid',
  message: 'must be well-formed Unicode without NUL characters',
});
