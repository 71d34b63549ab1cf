import type { Clock, Outbound } from '@switchboard/domain';
import { registerApp, type RegisteredApp, type AppRegistration } from './mastodon-registration.js';
import type { MastodonLookup } from './mastodon-server.js';

interface CachedApp {
  readonly app: RegisteredApp;
  readonly at: number;
}

const CACHED_APPS_MAX = 500;
/** A server deletes an app that nobody has a token of after a day. */
const APP_TTL_MS = 12 * 60 * 60_000;

/**
 * An app for each connection, as long as servers allow that: they let an address make five in ten minutes. So an app
 * that somebody denied serves the next one, and where no more may be made, the last one serves once more.
 */
export function mastodonApps(outbound: Outbound, clock: Clock) {
  const [unusedApps, latestApps] = [new Map<string, CachedApp>(), new Map<string, CachedApp>()];

  function cacheApp(place: Map<string, CachedApp>, key: string, app: RegisteredApp): void {
    if (place.size >= CACHED_APPS_MAX) place.clear();
    place.set(key, { app, at: clock.now().getTime() });
  }
  function findCachedApp(place: Map<string, CachedApp>, key: string): MastodonLookup<RegisteredApp> | null {
    const found = place.get(key);
    const isFresh = found !== undefined && clock.now().getTime() - found.at < APP_TTL_MS;
    return isFresh ? { kind: 'found', value: found.app } : null;
  }

  return {
    async acquireApp(
      server: string,
      registerPath: string,
      registration: AppRegistration,
    ): Promise<MastodonLookup<RegisteredApp>> {
      const key = keyOf(server, registration);
      const unused = findCachedApp(unusedApps, key);
      unusedApps.delete(key);
      if (unused) return unused;
      const registered = await registerApp(outbound, server + registerPath, registration);
      if (registered.kind === 'found') cacheApp(latestApps, key, registered.value);
      return registered.kind === 'too_many' ? (findCachedApp(latestApps, key) ?? registered) : registered;
    },

    /** The trip that this app was made for is over, and nobody has a token of it. */
    releaseApp: (
      server: string,
      registration: Pick<AppRegistration, 'redirectUri' | 'scope'>,
      app: RegisteredApp,
    ) => cacheApp(unusedApps, keyOf(server, registration), app),
  };
}

const keyOf = (server: string, { redirectUri, scope }: Pick<AppRegistration, 'redirectUri' | 'scope'>) =>
  [server, redirectUri, scope].join(' ');
