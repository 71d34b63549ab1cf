const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

/** A reproducible random generator: the same seed gives the same sequence on every machine. */
export function seededRandom(seed: string) {
  let state = hash(seed);
  // mulberry32
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const at = <T>(choices: readonly T[], index: number): T => {
    const choice = choices[index];
    if (choice === undefined) throw new Error('nothing to choose from');
    return choice;
  };
  const pick = <T>(choices: readonly T[]): T => at(choices, Math.floor(next() * choices.length));
  return {
    /** At least 0, below 1. */
    next,
    /** Both ends included. */
    int: (min: number, max: number) => min + Math.floor(next() * (max - min + 1)),
    chance: (probability: number) => next() < probability,
    pick,
    pickWeighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T {
      let remaining = next() * choices.reduce((sum, [weight]) => sum + weight, 0);
      const index = choices.findIndex(([weight]) => (remaining -= weight) < 0);
      return at(choices, index < 0 ? choices.length - 1 : index)[1];
    },
    id: (prefix: string) => prefix + Array.from({ length: 12 }, () => pick([...ALPHABET])).join(''),
  };
}

export type Random = ReturnType<typeof seededRandom>;

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193);
  return value | 0;
}
