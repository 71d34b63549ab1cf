/** A reproducible random generator: the same seed gives the same sequence on every machine. */
export interface Random {
  /** At least 0, below 1. */
  next(): number;
  /** Both ends included. */
  int(min: number, max: number): number;
  chance(probability: number): boolean;
  pick<T>(choices: readonly T[]): T;
  pickWeighted<T>(choices: readonly (readonly [weight: number, choice: T])[]): T;
  id(prefix: string): string;
}

const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789';

export function seededRandom(seed: string): Random {
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
    next,
    int: (min, max) => min + Math.floor(next() * (max - min + 1)),
    chance: (probability) => next() < probability,
    pick,
    pickWeighted<T>(choices: readonly (readonly [number, T])[]): T {
      let remaining = next() * choices.reduce((sum, [weight]) => sum + weight, 0);
      const index = choices.findIndex(([weight]) => (remaining -= weight) < 0);
      return at(choices, index < 0 ? choices.length - 1 : index)[1];
    },
    id: (prefix) => prefix + Array.from({ length: 12 }, () => pick([...ALPHABET])).join(''),
  };
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193);
  return value | 0;
}
