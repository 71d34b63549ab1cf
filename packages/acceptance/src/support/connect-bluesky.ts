import type { ConnectionId } from '@switchboard/domain';
import { approveBlueskyConsent } from './bluesky-consent.js';
import type { BlueskyServer } from './bluesky-pds.js';
import { openBrowser, type PageVisit } from './browser.js';
import { submitConnectForm, getLocation } from './connect-sandbox.js';
import { asText } from './json.js';
import type { RestClient } from './rest-client.js';

/** Connects an account by OAuth through the hosted flow; returns the connection ID. */
export const connectByOAuth = (client: RestClient, handle: string, password: string) =>
  connect(client, async (url) => {
    const browser = openBrowser();
    const redirectPage = await submitConnectForm(browser, url, 'oauth', { handle });
    return browser.get(await approveBlueskyConsent(getLocation(redirectPage), { handle, password }));
  });

/** The same with an app password. */
export const connectByAppPassword = (
  client: RestClient,
  pds: BlueskyServer,
  handle: string,
  password: string,
) =>
  connect(client, (url) =>
    submitConnectForm(openBrowser(), url, 'app_password', { handle, password, server: pds.url }),
  );

async function connect(
  client: RestClient,
  completeFlow: (url: string) => Promise<PageVisit>,
): Promise<ConnectionId> {
  const session = await client.expect(201, 'POST', '/connect/url', { body: { platform: 'bluesky' } });
  const page = await completeFlow(asText(session['url']));
  const finishedSession = await client.expect(200, 'GET', `/connect/sessions/${asText(session['id'])}`);
  const [id] = finishedSession['connection_ids'] as string[];
  if (id === undefined) throw new Error(`nothing was connected: ${page.status} ${page.text.slice(0, 2000)}`);
  return id as ConnectionId;
}
