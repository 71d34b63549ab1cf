import type { Call } from './call.js';
import { refuse } from './failure.js';
import type { NextCall } from './next-call.js';

/** Entity tags are row versions in quotes. A malformed tag matches nothing. */
export const etagOf = ({ version }: { readonly version: number }): string => `"${version}"`;

/** The version in `If-Match`; undefined without one or for `*`. */
export function versionOf(call: Call): number | undefined {
  if (call.ifMatch === undefined || call.ifMatch.trim() === '*') return undefined;
  const match = /^(?:W\/)?"?(\d{1,15})"?$/.exec(call.ifMatch.trim());
  return match ? Number(match[1]) : -1;
}

/** Whether the caller sent another version than this one. */
export function isStale(call: Call, { version }: { readonly version: number }): boolean {
  const expected = versionOf(call);
  return expected !== undefined && expected !== version;
}

/** The failure for a stale version. */
export const preconditionFailed = (
  thing: 'profile' | 'connection' | 'post' | 'key' | 'workspace' | 'app',
  next: NextCall,
) =>
  refuse(
    'request.precondition_failed',
    `The ${thing} has changed since you read it. Read it again and repeat the change.`,
    { next },
  );
