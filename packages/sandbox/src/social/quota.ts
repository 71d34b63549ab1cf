import type { World } from '../world.js';

/** The number of posts of an account on the current UTC day of the sandbox's clock, and its limit. */
export interface Quota {
  read(account: string): { readonly used: number; readonly limit: number; readonly resets_at: string };
  use(account: string): void;
}

const DAY_MS = 86_400_000;

export function quotaOf({ clock, journal, settings }: World): Quota {
  const days = journal.collection<{ readonly day: string; readonly used: number }>('social.days');
  const today = () => clock.now().toISOString().slice(0, 10);
  const usedBy = (account: string) => {
    const last = days.get(account);
    return last?.day === today() ? last.used : 0;
  };
  return {
    read: (account) => ({
      used: usedBy(account),
      limit: settings.current().posts_per_day,
      resets_at: new Date(Date.parse(today()) + DAY_MS).toISOString(),
    }),
    use: (account) => days.set(account, { day: today(), used: usedBy(account) + 1 }),
  };
}
