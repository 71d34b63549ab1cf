/** The value that all of several have; null where they differ, and where there is none. */
export function unanimous<Value>(values: readonly Value[]): Value | null {
  const [value = null, ...others] = new Set(values);
  return others.length === 0 ? value : null;
}
