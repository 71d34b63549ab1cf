const NAMES_MAX = 6;

/** "A", "A and B", "A, B and C"; the first five and a count where there are more than six. */
export function joinNames(names: readonly string[]): string {
  if (names.length > NAMES_MAX) {
    return `${names.slice(0, NAMES_MAX - 1).join(', ')} and ${names.length - NAMES_MAX + 1} more`;
  }
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
