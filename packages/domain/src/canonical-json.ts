/**
 * JSON with sorted keys and no spaces: equal values have equal texts, regardless of member order. Values that
 * JSON lacks (`undefined`, a function) become `null`.
 */
export function canonicalJson(value: unknown): string {
  const text: string | undefined = JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
  return text ?? 'null';
}
