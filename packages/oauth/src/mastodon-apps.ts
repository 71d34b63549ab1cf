import type { Clock, Outbound } from '@switchboard/domain';
import { registerApp, type RegisteredApp, type Registration } from './mastodon-registration.js';
import type { Looked } from './mastodon-server.js';

interface Kept {
  readonly app: RegisteredApp;
  readonly at: number;
}

const KEPT_MAX = 500;
/** A server deletes an app that nobody has a token of after a day. */
const LIVES_MS = 12 * 60 * 60_000;

/**
 * An app for each connection, as long as servers allow that: they let an address make five in ten minutes. So an app
 * that somebody denied serves the next one, and where no more may be made, the last one serves once more.
 */
export function mastodonApps(outbound: Outbound, clock: Clock) {
  const [spare, last] = [new Map<string, Kept>(), new Map<string, Kept>()];

  function keep(place: Map<string, Kept>, key: string, app: RegisteredApp): void {
    if (place.size >= KEPT_MAX) place.clear();
    place.set(key, { app, at: clock.now().getTime() });
  }
  function kept(place: Map<string, Kept>, key: string): Looked<RegisteredApp> | null {
    const found = place.get(key);
    const lives = found !== undefined && clock.now().getTime() - found.at < LIVES_MS;
    return lives ? { kind: 'found', value: found.app } : null;
  }

  return {
    async appFor(
      server: string,
      registerPath: string,
      registration: Registration,
    ): Promise<Looked<RegisteredApp>> {
      const key = keyOf(server, registration);
      const unused = kept(spare, key);
      spare.delete(key);
      if (unused) return unused;
      const made = await registerApp(outbound, server + registerPath, registration);
      if (made.kind === 'found') keep(last, key, made.value);
      return made.kind === 'too_many' ? (kept(last, key) ?? made) : made;
    },

    /** The trip that this app was made for is over, and nobody has a token of it. */
    giveBack: (
      server: string,
      registration: Pick<Registration, 'redirectUri' | 'scope'>,
      app: RegisteredApp,
    ) => keep(spare, keyOf(server, registration), app),
  };
}

const keyOf = (server: string, { redirectUri, scope }: Pick<Registration, 'redirectUri' | 'scope'>) =>
  [server, redirectUri, scope].join(' ');
