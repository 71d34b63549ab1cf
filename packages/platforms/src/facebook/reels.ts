import type { Problem, PartDraft, MediaFacts, PublishItem, PublishMedia } from '@switchboard/platform-kit';
import { optionReader } from '@switchboard/platform-kit/read-options';
import { options } from './manifest.js';

const SHORTEST_SECONDS = 3;
const LONGEST_SECONDS = 90;
const [LEAST_WIDTH, LEAST_HEIGHT] = [540, 960];

const optionsOf = optionReader(options);

/**
 * A portrait video that qualifies as a reel is published as one by default: as anything else Facebook may
 * withhold it.
 */
export const becomesReel = (item: Pick<PublishItem, 'options'>, video: PublishMedia): boolean => {
  const chosen = optionsOf(item).post_type;
  return chosen === 'reel' || (chosen !== 'feed' && reelDefect(video) === null);
};

/** What is requested as a reel and cannot be one. For media that is still being fetched this is unknown. */
export function reelProblems(draft: PartDraft): Problem[] {
  if (draft.kind !== 'post' || optionsOf(draft).post_type !== 'reel') return [];
  const problem = (message: string): Problem[] => [
    { path: 'options.post_type', code: 'option.invalid', message },
  ];
  const [first] = draft.media ?? [];
  if (draft.mediaCount !== 1 || (first && first.kind !== 'video'))
    return problem('A reel must be exactly one video.');
  const reason = first ? reelDefect(first) : null;
  return reason === null ? [] : problem(reason);
}

/** Null for a video that qualifies. Its frame rate is not known here. */
function reelDefect({ width, height, durationSeconds }: MediaFacts): string | null {
  const [wide, high, seconds] = [width ?? 0, height ?? 0, durationSeconds ?? 0];
  // A side is a whole number of pixels: an aspect ratio that misses 9:16 by less than one pixel counts as
  // 9:16.
  const isUpright = wide < high && wide >= Math.floor((high * 9) / 16);
  if (!isUpright || wide < LEAST_WIDTH || high < LEAST_HEIGHT) {
    return `A reel must be portrait, no narrower than 9:16, at least ${LEAST_WIDTH} × ${LEAST_HEIGHT} pixels; this video is ${wide} × ${high}.`;
  }
  return seconds < SHORTEST_SECONDS || seconds > LONGEST_SECONDS
    ? `A reel lasts ${SHORTEST_SECONDS} to ${LONGEST_SECONDS} seconds; this video lasts ${seconds}.`
    : null;
}
