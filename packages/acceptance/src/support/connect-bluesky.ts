import type { ConnectionId } from '@switchboard/domain';
import { approveBlueskyConsent } from './bluesky-consent.js';
import type { BlueskyPds } from './bluesky-pds.js';
import { openBrowser, type Visit } from './browser.js';
import { beginAt, locationOf } from './connect-sandbox.js';
import { text } from './json.js';
import type { RestClient } from './rest-client.js';

/** Connects an account by OAuth through the hosted flow; answers the connection's id. */
export const connectByOAuth = (client: RestClient, handle: string, password: string) =>
  connect(client, async (url) => {
    const browser = openBrowser();
    const leaving = await beginAt(browser, url, 'oauth', { handle });
    return browser.get(await approveBlueskyConsent(locationOf(leaving), { handle, password }));
  });

/** The same by an app password. */
export const connectByAppPassword = (client: RestClient, pds: BlueskyPds, handle: string, password: string) =>
  connect(client, (url) =>
    beginAt(openBrowser(), url, 'app_password', { handle, password, server: pds.url }),
  );

async function connect(client: RestClient, walk: (url: string) => Promise<Visit>): Promise<ConnectionId> {
  const session = await client.expect(201, 'POST', '/connect/url', { body: { platform: 'bluesky' } });
  const page = await walk(text(session['url']));
  const ended = await client.expect(200, 'GET', `/connect/sessions/${text(session['id'])}`);
  const [id] = ended['connection_ids'] as string[];
  if (id === undefined) throw new Error(`nothing was connected: ${page.status} ${page.text.slice(0, 2000)}`);
  return id as ConnectionId;
}
