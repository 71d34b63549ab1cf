import { formOf, openBrowser, type Browser, type Visit } from './browser.js';

export interface Approval {
  readonly account: string;
  readonly decision?: 'approve' | 'deny' | undefined;
}

/** Sends the hosted page's form for one way, with what a person would type; answers the platform's authorization URL, or the last page. */
export async function beginAt(
  browser: Browser,
  hostedUrl: string,
  way: string,
  typed: Readonly<Record<string, string>> = {},
): Promise<Visit> {
  const page = await browser.get(hostedUrl);
  const form = formOf(page, ({ fields }) => fields['way'] === way && fields['csrf'] !== undefined);
  return browser.post(form.action, { ...form.fields, ...typed });
}

/** What the person does in a browser: the hosted page, the sandbox's own consent page, back to us. Answers the page at the end. */
export async function connectSandbox(
  hostedUrl: string,
  { account, decision = 'approve' }: Approval,
  browser = openBrowser(),
): Promise<Visit> {
  const leaving = await beginAt(browser, hostedUrl, 'oauth');
  const consent = await browser.get(locationOf(leaving));
  const form = formOf(consent, ({ fields }) => fields['request'] !== undefined);
  const answered = await browser.post(form.action, { ...form.fields, account, decision });
  return browser.get(locationOf(answered));
}

export function locationOf(visit: Visit): string {
  const location = visit.headers.get('location');
  if (location === null)
    throw new Error(`${visit.url} answered ${visit.status} and leads nowhere:\n${visit.text.slice(0, 2000)}`);
  return new URL(location, visit.url).href;
}
