import type { GrantStore } from '../oauth/grants.js';
import type { Settings } from '../settings.js';
import type { PlatformName, World } from '../world.js';
import { PLATFORM_NAMES } from '../world.js';

/** What the control endpoints do, for those who run the sandbox inside their own process. */
export interface Control {
  /** Access tokens end now, of one account or of all; how many that were. */
  expireTokens(which?: { account?: string | undefined; platform?: PlatformName | undefined }): number;
  /** As if the owner removed the app; how many grants that were. */
  revokeGrants(which: { account: string; platform?: PlatformName | undefined }): number;
  advanceClock(seconds: number): void;
  setClock(now: Date): void;
  resetClock(): void;
  now(): Date;
  settings(): Settings;
  changeSettings(wanted: Partial<Settings>): void;
  /** Registers one more app at both platforms, or gives it another secret. */
  addClient(client: { readonly id: string; readonly secret: string }): void;
}

export function createControl(world: World, grants: Readonly<Record<PlatformName, GrantStore>>): Control {
  const chosen = (platform: PlatformName | undefined) =>
    PLATFORM_NAMES.filter((name) => platform === undefined || name === platform).map((name) => grants[name]);
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  return {
    expireTokens: ({ account, platform } = {}) =>
      sum(chosen(platform).map((known) => known.expireAccessTokens(account))),
    revokeGrants: ({ account, platform }) =>
      sum(chosen(platform).map((known) => known.revokeFamilies(account))),
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
