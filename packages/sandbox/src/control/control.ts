import type { GrantStore } from '../oauth/grants.js';
import { postsOf } from '../social/posts.js';
import type { Settings } from '../settings.js';
import { type PlatformName, type World, PLATFORM_NAMES } from '../world.js';

interface ControlTarget {
  readonly account?: string | undefined;
  readonly platform?: PlatformName | undefined;
}

/** The control endpoints as functions, for callers that run the sandbox in their own process. */
export function createControl(world: World, grants: Readonly<Record<PlatformName, GrantStore>>) {
  const posts = postsOf(world);
  const { advanceSeconds: advanceClock, set: setClock, reset: resetClock, now } = world.clock;
  const count = ({ platform }: ControlTarget, change: (known: GrantStore) => number) =>
    PLATFORM_NAMES.filter((name) => platform === undefined || name === platform)
      .map((name) => change(grants[name]))
      .reduce((total, changed) => total + changed, 0);
  return {
    /** Expires the access tokens of one account or of all; returns their number. */
    expireTokens: (which: ControlTarget = {}) =>
      count(which, (known) => known.expireAccessTokens(which.account)),
    /** Revokes grants as if the owner removed the app; returns their number. */
    revokeGrants: (which: ControlTarget & { readonly account: string }) =>
      count(which, (known) => known.revokeFamilies(which.account)),
    /** Deletes a post as its author does; false: there is none with this id. */
    deletePost(id: string): boolean {
      const post = posts.get(id);
      if (post) posts.delete(post);
      return post !== undefined;
    },
    advanceClock,
    setClock,
    resetClock,
    now,
    /** Registers another app at both platforms, or changes its secret. */
    addClient: world.clients.add,
    settings: world.settings.current,
    changeSettings(requested: Partial<Settings>): void {
      const wrong = world.settings.change(requested);
      if (wrong !== undefined) throw new Error(`the sandbox setting ${wrong} cannot have this value`);
    },
  };
}
export type Control = ReturnType<typeof createControl>;

/**
 * The notices of the home page after a form submission. The URL contains only the key, so its text is never
 * echoed.
 */
export const NOTICES = {
  fault: 'The fault is enabled.',
  cleared: 'The fault is disabled.',
  expired: 'The access tokens have expired.',
  revoked: 'The app was removed from the account.',
  clock: 'The clock was moved.',
  settings: 'The behavior was changed.',
} as const;
export type ControlNotice = keyof typeof NOTICES;
