/** Compares names in natural order ("9" before "10") as PHP's `strnatcmp` does; OAuth 1.0a sorts by bytes. */
export function compareNaturally(one: string, other: string): number {
  const partsOf = (text: string): readonly string[] => text.match(/\d+|\D/g) ?? [];
  const [ones, others] = [partsOf(one), partsOf(other)];
  for (const [at, part] of ones.entries()) {
    const against = others[at];
    if (against === undefined) return 1;
    const areNumbers = /^\d/.test(part) && /^\d/.test(against);
    const order = areNumbers ? Number(part) - Number(against) : part < against ? -1 : part > against ? 1 : 0;
    if (order !== 0) return order;
  }
  return ones.length - others.length;
}
