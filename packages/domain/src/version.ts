import type { Call } from './call.js';

/** Entity tags are row versions in quotes. A tag that cannot be one matches nothing. */
export const etagOf = ({ version }: { readonly version: number }): string => `"${version}"`;

/** The version that `If-Match` demands; undefined without one or for `*`. */
export function versionOf(call: Call): number | undefined {
  if (call.ifMatch === undefined || call.ifMatch.trim() === '*') return undefined;
  const match = /^(?:W\/)?"?(\d{1,15})"?$/.exec(call.ifMatch.trim());
  return match ? Number(match[1]) : -1;
}
