import type { GrantStore } from '../oauth/grants.js';
import { postsOf } from '../social/posts.js';
import type { Settings } from '../settings.js';
import { type PlatformName, type World, PLATFORM_NAMES } from '../world.js';

/** The control endpoints as functions, for callers that run the sandbox in their own process. */
export interface Control {
  /** Expires the access tokens of one account or of all; returns their number. */
  expireTokens(which?: { account?: string | undefined; platform?: PlatformName | undefined }): number;
  /** Revokes grants as if the owner removed the app; returns their number. */
  revokeGrants(which: { account: string; platform?: PlatformName | undefined }): number;
  /** Deletes a post as its author does; false: there is none with this id. */
  deletePost(id: string): boolean;
  advanceClock(seconds: number): void;
  setClock(now: Date): void;
  resetClock(): void;
  now(): Date;
  settings(): Settings;
  changeSettings(wanted: Partial<Settings>): void;
  /** Registers another app at both platforms, or changes its secret. */
  addClient(client: { readonly id: string; readonly secret: string }): void;
}

export function createControl(world: World, grants: Readonly<Record<PlatformName, GrantStore>>): Control {
  const posts = postsOf(world);
  const chosen = (platform: PlatformName | undefined) =>
    PLATFORM_NAMES.filter((name) => platform === undefined || name === platform).map((name) => grants[name]);
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  return {
    expireTokens: ({ account, platform } = {}) =>
      sum(chosen(platform).map((known) => known.expireAccessTokens(account))),
    revokeGrants: ({ account, platform }) =>
      sum(chosen(platform).map((known) => known.revokeFamilies(account))),
    deletePost(id) {
      const post = posts.get(id);
      if (post) posts.delete(post);
      return post !== undefined;
    },
    advanceClock: (seconds) => world.clock.advanceSeconds(seconds),
    setClock: (now) => world.clock.set(now),
    resetClock: () => world.clock.reset(),
    now: () => world.clock.now(),
    addClient: (client) => world.clients.add(client),
    settings: () => world.settings.current(),
    changeSettings(requested) {
      const wrong = world.settings.change(requested);
      if (wrong !== undefined) throw new Error(`the sandbox setting ${wrong} cannot have this value`);
    },
  };
}

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
