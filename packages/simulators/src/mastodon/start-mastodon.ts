import { startServer, type SimulatedServer } from '../wire/start-server.js';
import { mastodonInstance, type InstanceOptions, type MastodonInstance } from './instance.js';

export interface RunningMastodon extends MastodonInstance, SimulatedServer {}

/** A Mastodon server on a local port. */
export async function startMastodon(options: InstanceOptions = {}): Promise<RunningMastodon> {
  const instance = mastodonInstance(options);
  const server = await startServer('social', (request) => {
    const token = /^Bearer (.+)$/.exec(String(request.headers['authorization']))?.[1] ?? '';
    return instance.respondAs(request, instance.oauth.bearerOf(token));
  });
  instance.setOrigin(server.url);
  return { ...instance, ...server };
}
