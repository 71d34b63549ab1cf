/** A link that a store or its staff entered: only an http(s) address is passed on. */
export function readTrackingUrl(text: string | null | undefined): string | null {
  if (!text) return null;
  const url = URL.parse(text);
  return url && /^https?:$/.test(url.protocol) ? url.href : null;
}
