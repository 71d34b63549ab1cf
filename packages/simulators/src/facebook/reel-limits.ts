import { readFilmFacts } from '../meta/film-facts.js';
import { graphRefusal } from '../meta/graph.js';
import type { WireAnswer } from '../wire/exchange.js';

const SHORTEST_SECONDS = 3;
const LONGEST_SECONDS = 90;
const [LEAST_WIDTH, LEAST_HEIGHT] = [540, 960];
const [NARROWEST, WIDEST] = [9 / 16, 16 / 9];

const notSupported = (code: number, what: string): WireAnswer =>
  graphRefusal({
    message: `The video you tried to upload has ${what} that isn’t supported on Facebook.`,
    code,
  });

/** The refusals that the documentation of reels lists; how many pictures a second has is not looked at. Null of a reel. */
export function whyNoReel(content: Uint8Array): WireAnswer | null {
  const film = readFilmFacts(content);
  if (!film) return notSupported(1_363_024, 'a format');
  const ratio = film.width / film.height;
  if (ratio < NARROWEST || ratio > WIDEST) return notSupported(1_363_040, 'an aspect ratio');
  if (film.width < LEAST_WIDTH || film.height < LEAST_HEIGHT) return notSupported(1_363_127, 'resolution');
  return film.seconds < SHORTEST_SECONDS || film.seconds > LONGEST_SECONDS
    ? notSupported(1_363_128, 'a duration')
    : null;
}
