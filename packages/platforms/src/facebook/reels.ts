import type { PartDraft, MediaFacts, Problem, PublishItem, PublishMedia } from '@switchboard/domain';
import { z } from 'zod';

const SHORTEST_SECONDS = 3;
const LONGEST_SECONDS = 90;
const [LEAST_WIDTH, LEAST_HEIGHT] = [540, 960];

const options = z.object({ post_type: z.enum(['feed', 'reel']).exactOptional() });
const postTypeOf = (draft: Pick<PartDraft, 'options'>) => options.safeParse(draft.options).data?.post_type;

/** An upright film that a reel may be is one, unless somebody says otherwise: as anything else Facebook may keep it back. */
export const becomesReel = (item: Pick<PublishItem, 'options'>, video: PublishMedia): boolean => {
  const chosen = postTypeOf(item);
  return chosen === 'reel' || (chosen !== 'feed' && reelDefect(video) === null);
};

/** What is asked to become a reel and cannot. Of media that are still on their way nobody knows. */
export function reelProblems(draft: PartDraft): Problem[] {
  if (draft.kind !== 'post' || postTypeOf(draft) !== 'reel') return [];
  const problem = (message: string) => [{ path: 'options.post_type', code: 'option.invalid', message }];
  const [first] = draft.media ?? [];
  if (draft.mediaCount !== 1 || (first && first.kind !== 'video')) return problem('A reel is one film.');
  const why = first ? reelDefect(first) : null;
  return why === null ? [] : problem(why);
}

/** Null of a film that fits. How many pictures a second it has is not known here. */
function reelDefect({ width, height, durationSeconds }: MediaFacts): string | null {
  const [wide, high, seconds] = [width ?? 0, height ?? 0, durationSeconds ?? 0];
  // A side is a whole number of pixels: what is short of 9:16 by less than one is 9:16.
  const isUpright = wide < high && wide >= Math.floor((high * 9) / 16);
  if (!isUpright || wide < LEAST_WIDTH || high < LEAST_HEIGHT) {
    return `A reel is upright, no narrower than 9:16, and has ${LEAST_WIDTH} × ${LEAST_HEIGHT} pixels at least; this film has ${wide} × ${high}.`;
  }
  return seconds < SHORTEST_SECONDS || seconds > LONGEST_SECONDS
    ? `A reel takes ${SHORTEST_SECONDS} to ${LONGEST_SECONDS} seconds, this film takes ${seconds}.`
    : null;
}
