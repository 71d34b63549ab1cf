import { findForm, openBrowser, type Browser, type PageVisit } from './browser.js';
import { submitConnectForm, getLocation } from './connect-sandbox.js';
import { asText, type JsonObject } from './json.js';
import type { RestClient } from './rest-client.js';

/** One trip to a store's consent page, from the link to what the browser is sent back with. */
export interface StoreConsentFlow {
  readonly session: string;
  readonly browser: Browser;
  /** Where the hosted page led. */
  readonly consentUrl: URL;
  /** Where the store sent the browser after the answer; null where it went nowhere. */
  readonly callback: string | null;
}

export const storeConsent = (client: RestClient) => ({
  /** Through the hosted page to the store, whose owner answers there. */
  async start(
    platform: string,
    typed: Readonly<Record<string, string>>,
    decision: 'approve' | 'deny' = 'approve',
  ): Promise<StoreConsentFlow> {
    const session = await client.expect(201, 'POST', '/connect/url', { body: { platform } });
    const browser = openBrowser();
    const redirectPage = await submitConnectForm(browser, asText(session['url']), 'oauth', typed);
    const consentUrl = getLocation(redirectPage);
    const consent = await browser.get(consentUrl);
    const form = findForm(consent, ({ fields }) => fields['client_id'] !== undefined);
    const submitted = await browser.post(form.action, { ...form.fields, decision });
    const callback = submitted.headers.get('location');
    return { session: asText(session['id']), browser, consentUrl: new URL(consentUrl), callback };
  },

  sessionOf: ({ session }: StoreConsentFlow): Promise<JsonObject> =>
    client.expect(200, 'GET', `/connect/sessions/${session}`),

  /** Comes back as the store said. */
  async followCallback({ browser, callback }: StoreConsentFlow): Promise<PageVisit> {
    if (callback === null) throw new Error('the store sent the browser nowhere');
    return browser.get(callback);
  },
});

/** The callback with another query. */
export function withCallbackQuery(
  callback: string | null,
  change: (query: Record<string, string>) => Record<string, string>,
): string {
  const url = new URL(callback ?? '');
  return `${url.origin}${url.pathname}?${new URLSearchParams(change(Object.fromEntries(url.searchParams))).toString()}`;
}
