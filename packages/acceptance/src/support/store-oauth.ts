import { formOf, openBrowser, type Browser, type Visit } from './browser.js';
import { beginAt, locationOf } from './connect-sandbox.js';
import { text, type JsonObject } from './json.js';
import type { RestClient } from './rest-client.js';

/** One trip to a store's consent page, from the link to what the browser is sent back with. */
export interface StoreTrip {
  readonly session: string;
  readonly browser: Browser;
  /** Where the hosted page led. */
  readonly consentUrl: URL;
  /** Where the store sent the browser after the answer; null where it went nowhere. */
  readonly callback: string | null;
}

export const atStores = (client: RestClient) => ({
  /** Through the hosted page to the store, whose owner answers there. */
  async travel(
    platform: string,
    typed: Readonly<Record<string, string>>,
    decision: 'approve' | 'deny' = 'approve',
  ): Promise<StoreTrip> {
    const session = await client.expect(201, 'POST', '/connect/url', { body: { platform } });
    const browser = openBrowser();
    const leaving = await beginAt(browser, text(session['url']), 'oauth', typed);
    const consentUrl = locationOf(leaving);
    const consent = await browser.get(consentUrl);
    const form = formOf(consent, ({ fields }) => fields['client_id'] !== undefined);
    const answered = await browser.post(form.action, { ...form.fields, decision });
    const callback = answered.headers.get('location');
    return { session: text(session['id']), browser, consentUrl: new URL(consentUrl), callback };
  },

  sessionOf: ({ session }: StoreTrip): Promise<JsonObject> =>
    client.expect(200, 'GET', `/connect/sessions/${session}`),

  /** Comes back as the store said. */
  async comeBack({ browser, callback }: StoreTrip): Promise<Visit> {
    if (callback === null) throw new Error('the store sent the browser nowhere');
    return browser.get(callback);
  },
});

/** The callback with another query. */
export function readdressed(
  callback: string | null,
  change: (query: Record<string, string>) => Record<string, string>,
): string {
  const url = new URL(callback ?? '');
  return `${url.origin}${url.pathname}?${new URLSearchParams(change(Object.fromEntries(url.searchParams))).toString()}`;
}
