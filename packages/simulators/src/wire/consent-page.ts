import type { WireResponse } from './exchange.js';

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** The page on which somebody who is logged in agrees: a form that sends everything that was asked back with a `decision`. */
export function consentPage(app: string, query: URLSearchParams): WireResponse {
  const hidden = [...query].map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  );
  return { status: 200, html: `<h1>${escaped(app)}</h1><form method="post">${hidden.join('')}</form>` };
}

/** What is said to somebody who was sent here wrongly, or who did not agree: nobody is sent anywhere. */
export const messagePage = (status: number, text: string): WireResponse => ({
  status,
  html: `<p>${escaped(text)}</p>`,
});

/** Back to the app, with this in the query. */
export function redirectTo(redirectUri: string, parameters: Readonly<Record<string, string>>): WireResponse {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { status: 302, headers: { location: url.href } };
}
