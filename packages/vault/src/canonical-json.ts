/** JSON with sorted keys: equal values have equal texts, in whatever order their members were written. */
export function canonicalJson(value: unknown): string {
  const text: string | undefined = JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)))
      : inner,
  );
  return text ?? 'null';
}
