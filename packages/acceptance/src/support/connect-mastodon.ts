import { formOf, openBrowser } from './browser.js';
import { beginAt, locationOf } from './connect-sandbox.js';
import { text } from './json.js';
import type { RestClient } from './rest-client.js';

/** Connects an account of a Mastodon server through the hosted flow; answers the connection's id. */
export async function connectMastodon(
  client: RestClient,
  instance: string,
  account: string,
): Promise<string> {
  const session = await client.expect(201, 'POST', '/connect/url', { body: { platform: 'mastodon' } });
  const browser = openBrowser();
  const leaving = await beginAt(browser, text(session['url']), 'oauth', { instance });
  const consent = await browser.get(locationOf(leaving));
  const form = formOf(consent, ({ fields }) => fields['client_id'] !== undefined);
  const answered = await browser.post(form.action, { ...form.fields, account, decision: 'approve' });
  await browser.get(locationOf(answered));
  const ended = await client.expect(200, 'GET', `/connect/sessions/${text(session['id'])}`);
  const [id] = ended['connection_ids'] as string[];
  if (id === undefined) throw new Error(`${account} was not connected: ${JSON.stringify(ended)}`);
  return id;
}
