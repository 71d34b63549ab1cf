/** The name that the author of `word` most likely meant; null when none is close. */
export function findClosestName(word: string, known: readonly string[]): string | null {
  // Input that is far longer than any name is not a typo, and not worth the time.
  if (word.length > MAX_CHARACTERS) return null;
  const given = normalizeName(word);
  const maxEdits = Math.max(1, Math.floor(given.length / 4));
  const [best] = known
    .map((name) => ({ name, other: normalizeName(name) }))
    .map(({ name, other }) => ({ name, other, edits: levenshteinDistance(given, other) }))
    .filter(({ other, edits }) => edits <= maxEdits || isPrefixOfEither(given, other))
    .sort((a, b) => a.edits - b.edits);
  return best?.name ?? null;
}

const MAX_CHARACTERS = 64;
const MIN_PART_CHARACTERS = 4;

/** Case and underscores do not count: `profileId` matches `profile_id`. */
const normalizeName = (word: string): string => word.toLowerCase().replace(/[^a-z0-9]/g, '');

const isPrefixOfEither = (one: string, other: string): boolean =>
  Math.min(one.length, other.length) >= MIN_PART_CHARACTERS &&
  (one.startsWith(other) || other.startsWith(one));

/** The number of insertions, deletions and substitutions between two words (Levenshtein distance). */
function levenshteinDistance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [row, letter] of [...one].entries()) {
    const line = [row + 1];
    for (const [at, opposite] of [...other].entries()) {
      const changed = (above[at] ?? 0) + (letter === opposite ? 0 : 1);
      line.push(Math.min(changed, (above[at + 1] ?? 0) + 1, (line[at] ?? 0) + 1));
    }
    above = line;
  }
  return above.at(-1) ?? 0;
}
