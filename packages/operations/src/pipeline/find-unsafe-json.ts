import type { Problem } from '@switchboard/domain';

/** Deeper than the input of any operation, and far below the recursion limit. */
const DEPTH_MAX = 32;

/**
 * What a schema does not detect in JSON: a field named `__proto__`, which records drop silently, and a depth
 * at which later recursive code would overflow the stack. Iterates instead of recursing. Null for acceptable
 * JSON.
 */
export function findUnsafeJson(raw: unknown): Problem | null {
  const open: { readonly value: unknown; readonly path: readonly string[] }[] = [{ value: raw, path: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next;
    if (typeof value !== 'object' || value === null) continue;
    if (path.length > DEPTH_MAX) {
      return {
        path: path.slice(0, 3).join('.'),
        code: 'field.too_deep',
        message: `is nested more than ${DEPTH_MAX} levels deep`,
      };
    }
    for (const [key, inner] of Object.entries(value)) {
      if (key === '__proto__') {
        return { path: [...path, key].join('.'), code: 'field.unknown', message: 'unknown field' };
      }
      open.push({ value: inner, path: [...path, key] });
    }
  }
  return null;
}
