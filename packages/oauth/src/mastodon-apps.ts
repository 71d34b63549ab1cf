import type { Clock, Outbound } from '@switchboard/domain/ports';
import { registerApp, type RegisteredApp, type AppRegistration } from './mastodon-registration.js';
import type { MastodonLookup } from './mastodon-server.js';

interface CachedApp {
  readonly app: RegisteredApp;
  readonly at: number;
}

const CACHED_APPS_MAX = 500;
/** Mastodon servers delete an app without tokens after a day. */
const APP_TTL_MS = 12 * 60 * 60_000;

/**
 * Registers one app per connection, as long as the server allows it: servers accept five registrations per
 * address in ten minutes. An app whose authorization was denied is reused for the next connection, and when
 * the server rate limits registrations, the latest app is reused.
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

    /** The connect flow that this app was registered for has ended without a token. */
    releaseApp: (
      server: string,
      registration: Pick<AppRegistration, 'redirectUri' | 'scope'>,
      app: RegisteredApp,
    ) => cacheApp(unusedApps, keyOf(server, registration), app),
  };
}

const keyOf = (server: string, { redirectUri, scope }: Pick<AppRegistration, 'redirectUri' | 'scope'>) =>
  [server, redirectUri, scope].join(' ');
