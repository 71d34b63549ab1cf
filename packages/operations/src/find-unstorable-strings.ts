import type { Problem } from '@switchboard/domain';
import { isStorable } from './is-storable.js';

/** Texts of an input that a database cannot keep as they are: they would fail there, or come back as others. */
export function findUnstorableStrings(value: unknown, path: readonly string[] = []): Problem[] {
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
