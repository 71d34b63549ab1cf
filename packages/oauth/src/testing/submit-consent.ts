/** Submits the sandbox's consent page as a browser: returns the query of the callback. */
export type FetchFunction = (url: string, init?: RequestInit) => Promise<Response>;

export async function submitConsent(
  fetch: FetchFunction,
  url: string,
  decision: 'approve' | 'deny',
  account: string,
): Promise<Record<string, string>> {
  const page = await fetch(url, { redirect: 'manual' });
  const html = await page.text();
  const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '';
  const [cookie = ''] = (page.headers.get('set-cookie') ?? '').split(';');
  const { origin, pathname } = new URL(url);
  const answer = await fetch(origin + pathname, {
    method: 'POST',
    body: new URLSearchParams({ request: hidden('request'), csrf: hidden('csrf'), account, decision }),
    headers: { cookie },
    redirect: 'manual',
  });
  return Object.fromEntries(new URL(answer.headers.get('location') ?? 'about:blank').searchParams);
}
