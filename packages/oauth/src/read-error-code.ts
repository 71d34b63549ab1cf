/**
 * RFC 6749's `error`; for nonconforming platforms the code of `error` or of the first of `errors`, or `type`,
 * or a numeric `error` or `code`.
 */
export function readErrorCode(payload: unknown): string | null {
  const { error, errors, type, code: number } = (payload ?? {}) as Readonly<Record<string, unknown>>;
  const [first] = Array.isArray(errors) ? (errors as readonly ({ code?: unknown } | null)[]) : [];
  const { code, is_transient: isTransient } = (error ?? {}) as Readonly<Record<string, unknown>>;
  // Meta uses one number for an incorrect secret and for unexplained failures.
  if (isTransient === true) return null;
  const candidates = [error, typeof code === 'number' ? String(code) : code, first?.code, type];
  for (const one of [error, number]) if (typeof one === 'number') candidates.push(String(one));
  return candidates.find((word) => typeof word === 'string') ?? null;
}
