import type { World } from '../world.js';
import { commentsOf } from './comments.js';
import { createMediaStore } from './media.js';
import { postsOf } from './posts.js';

/** The complete state of the social platform. */
export const socialStateOf = (world: World) => ({
  posts: postsOf(world),
  comments: commentsOf(world),
  media: createMediaStore(world),
  quota: quotaOf(world),
});
export type SocialState = ReturnType<typeof socialStateOf>;

const DAY_MS = 86_400_000;

/** The number of posts of an account on the current UTC day of the sandbox's clock, and its limit. */
function quotaOf({ clock, journal, settings }: World) {
  const days = journal.collection<{ readonly day: string; readonly used: number }>('social.days');
  const today = () => clock.now().toISOString().slice(0, 10);
  const usedBy = (account: string) => {
    const last = days.get(account);
    return last?.day === today() ? last.used : 0;
  };
  return {
    read: (account: string) => ({
      used: usedBy(account),
      limit: settings.current().posts_per_day,
      resets_at: new Date(Date.parse(today()) + DAY_MS).toISOString(),
    }),
    use: (account: string) => days.set(account, { day: today(), used: usedBy(account) + 1 }),
  };
}
