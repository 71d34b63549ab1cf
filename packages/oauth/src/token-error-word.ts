/** RFC 6749's `error`; or, of those who have their own ways, the code of `error` or of the first of `errors`, or `type`. */
export function wordIn(payload: unknown): string | null {
  const { error, errors, type } = (payload ?? {}) as Readonly<Record<string, unknown>>;
  const [first] = Array.isArray(errors) ? (errors as readonly ({ code?: unknown } | null)[]) : [];
  const { code } = (error ?? {}) as { readonly code?: unknown };
  const words = [error, typeof code === 'number' ? String(code) : code, first?.code, type];
  return words.find((word) => typeof word === 'string') ?? null;
}
