import { findForm, openBrowser, type Browser, type PageVisit } from './browser.js';
import { submitConnectForm, getLocation } from './connect-sandbox.js';
import { asText, type JsonObject } from './json.js';
import type { RestClient } from './rest-client.js';

/** One flow through a store's consent page, from the link to the redirect back. */
export interface StoreConsentFlow {
  readonly session: string;
  readonly browser: Browser;
  /** The URL that the hosted page redirected to. */
  readonly consentUrl: URL;
  /** The URL that the store redirected to after the decision; null without a redirect. */
  readonly callback: string | null;
}

export const storeConsent = (client: RestClient) => ({
  /** Goes through the hosted page to the store, where the owner decides. */
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

  /** Follows the store's redirect. */
  async followCallback({ browser, callback }: StoreConsentFlow): Promise<PageVisit> {
    if (callback === null) throw new Error('the store did not redirect the browser');
    return browser.get(callback);
  },
});

/** The callback URL with a changed query. */
export function withCallbackQuery(
  callback: string | null,
  change: (query: Record<string, string>) => Record<string, string>,
): string {
  const url = new URL(callback ?? '');
  return `${url.origin}${url.pathname}?${new URLSearchParams(change(Object.fromEntries(url.searchParams))).toString()}`;
}
