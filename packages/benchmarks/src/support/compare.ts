import { median } from './percentile.js';

export interface Comparison {
  readonly ours: number;
  readonly theirs: number;
  /** The median of the rounds: a disturbance of the machine affects both sides of a round. */
  readonly ratio: number;
}

/** Measures both sides alternately, ours first in every other round, after one round of warm-up. */
export async function compare(
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
  rounds: number,
): Promise<Comparison> {
  const pairs: { readonly ours: number; readonly theirs: number }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const first = round % 2 === 0 ? await ours() : await theirs();
    const second = round % 2 === 0 ? await theirs() : await ours();
    if (round === 0) continue;
    pairs.push(round % 2 === 0 ? { ours: first, theirs: second } : { ours: second, theirs: first });
  }
  return {
    ours: median(pairs.map((pair) => pair.ours)),
    theirs: median(pairs.map((pair) => pair.theirs)),
    ratio: median(pairs.map((pair) => pair.ours / pair.theirs)),
  };
}
