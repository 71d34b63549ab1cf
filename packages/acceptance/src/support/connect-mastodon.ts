import { findForm, openBrowser } from './browser.js';
import { submitConnectForm, getLocation } from './connect-sandbox.js';
import { asText } from './json.js';
import type { RestClient } from './rest-client.js';

/** Connects an account of a Mastodon server through the hosted flow; returns the connection ID. */
export async function connectMastodon(
  client: RestClient,
  instance: string,
  account: string,
): Promise<string> {
  const session = await client.expect(201, 'POST', '/connect/url', { body: { platform: 'mastodon' } });
  const browser = openBrowser();
  const redirectPage = await submitConnectForm(browser, asText(session['url']), 'oauth', { instance });
  const consent = await browser.get(getLocation(redirectPage));
  const form = findForm(consent, ({ fields }) => fields['client_id'] !== undefined);
  const submitted = await browser.post(form.action, { ...form.fields, account, decision: 'approve' });
  await browser.get(getLocation(submitted));
  const finishedSession = await client.expect(200, 'GET', `/connect/sessions/${asText(session['id'])}`);
  const [id] = finishedSession['connection_ids'] as string[];
  if (id === undefined) throw new Error(`${account} was not connected: ${JSON.stringify(finishedSession)}`);
  return id;
}
