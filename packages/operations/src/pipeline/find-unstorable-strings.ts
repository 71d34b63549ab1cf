import type { Problem } from '@switchboard/domain';
import { isStorable } from './is-storable.js';

/** Finds the texts of an input that the database cannot store unchanged: it would reject or alter them. */
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
