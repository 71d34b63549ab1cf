import type { WireResponse } from './exchange.js';

export const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** The consent page of a logged-in user: a form that returns all request parameters with a `decision`. */
export function consentPage(app: string, query: URLSearchParams): WireResponse {
  const hidden = [...query].map(
    ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
  );
  return { status: 200, html: `<h1>${escaped(app)}</h1><form method="post">${hidden.join('')}</form>` };
}

/** The page for an invalid request or a denied consent without a redirect. */
export const messagePage = (status: number, text: string): WireResponse => ({
  status,
  html: `<p>${escaped(text)}</p>`,
});

/** Redirects to the app with these query parameters. */
export function redirectTo(redirectUri: string, parameters: Readonly<Record<string, string>>): WireResponse {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { status: 302, headers: { location: url.href } };
}
