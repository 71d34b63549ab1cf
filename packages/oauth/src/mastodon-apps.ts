import type { Clock, Outbound } from '@switchboard/domain';
import { registerApp, type RegisteredApp, type Registration } from './mastodon-registration.js';
import type { Looked } from './mastodon-server.js';

interface Kept {
  readonly app: RegisteredApp;
  readonly at: number;
  /** Whether somebody has a token of it. */
  readonly taken: boolean;
}

const KEPT_MAX = 500;
/** A server deletes an app that nobody has a token of after a day. */
const UNUSED_LIVES_MS = 60 * 60_000;
const USED_LIVES_MS = 12 * 60 * 60_000;

/**
 * An app for each connection, as long as servers allow that: they let an address make five in ten minutes. So an app
 * that came to nothing is tried again, and where no more may be made, the last one serves once more.
 */
export function mastodonApps(outbound: Outbound, clock: Clock) {
  const last = new Map<string, Kept>();
  const keyOf = (server: string, { redirectUri, scope }: Pick<Registration, 'redirectUri' | 'scope'>) =>
    [server, redirectUri, scope].join(' ');
  const youngerThan = (kept: Kept | undefined, ms: number) =>
    kept !== undefined && clock.now().getTime() - kept.at < ms;

  return {
    async appFor(
      server: string,
      registerPath: string,
      registration: Registration,
    ): Promise<Looked<RegisteredApp>> {
      const key = keyOf(server, registration);
      const kept = last.get(key);
      if (kept && !kept.taken && youngerThan(kept, UNUSED_LIVES_MS))
        return { kind: 'found', value: kept.app };
      const made = await registerApp(outbound, server + registerPath, registration);
      if (made.kind === 'found') {
        if (last.size >= KEPT_MAX) last.clear();
        last.set(key, { app: made.value, at: clock.now().getTime(), taken: false });
        return made;
      }
      const serves = made.kind === 'too_many' && kept?.taken === true && youngerThan(kept, USED_LIVES_MS);
      return serves ? { kind: 'found', value: kept.app } : made;
    },

    /** Somebody has a token of this app now: the next connection gets another one. */
    taken(server: string, clientId: string): void {
      for (const [key, kept] of last) {
        if (key.startsWith(`${server} `) && kept.app.clientId === clientId)
          last.set(key, { ...kept, taken: true });
      }
    },
  };
}
