import { findForm, openBrowser, type Browser, type PageVisit } from './browser.js';

export interface ConsentDecision {
  readonly account: string;
  readonly decision?: 'approve' | 'deny' | undefined;
}

/**
 * Submits the hosted page's form for one connect method with the given input; returns the platform's
 * authorization URL, or the last page.
 */
export async function submitConnectForm(
  browser: Browser,
  hostedUrl: string,
  connectMethod: string,
  typed: Readonly<Record<string, string>> = {},
): Promise<PageVisit> {
  const page = await browser.get(hostedUrl);
  const form = findForm(
    page,
    ({ fields }) => fields['connect_method'] === connectMethod && fields['csrf'] !== undefined,
  );
  return browser.post(form.action, { ...form.fields, ...typed });
}

/**
 * The browser part of the flow: the hosted page, the sandbox's consent page, our callback. Returns the final
 * page.
 */
export async function connectSandbox(
  hostedUrl: string,
  { account, decision = 'approve' }: ConsentDecision,
  browser = openBrowser(),
): Promise<PageVisit> {
  const redirectPage = await submitConnectForm(browser, hostedUrl, 'oauth');
  const consent = await browser.get(getLocation(redirectPage));
  const form = findForm(consent, ({ fields }) => fields['request'] !== undefined);
  const submitted = await browser.post(form.action, { ...form.fields, account, decision });
  return browser.get(getLocation(submitted));
}

export function getLocation(visit: PageVisit): string {
  const location = visit.headers.get('location');
  if (location === null)
    throw new Error(
      `${visit.url} returned ${visit.status} without a redirect:\n${visit.text.slice(0, 2000)}`,
    );
  return new URL(location, visit.url).href;
}
