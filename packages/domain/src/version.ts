import type { Call } from './call.js';
import { canonicalJson } from './canonical-json.js';
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

/**
 * Whether an edit leaves every field that it names as it is. Such an edit is not stored, so that the version
 * and the entity tag stay. Undefined fields name nothing.
 */
export const changesNothing = (before: object, changes: object): boolean =>
  Object.entries(changes).every(
    ([name, value]) =>
      value === undefined ||
      canonicalJson(value) === canonicalJson((before as Readonly<Record<string, unknown>>)[name]),
  );

/** The failure for a stale version. */
export const preconditionFailed = (
  thing: 'profile' | 'connection' | 'post' | 'key' | 'workspace' | 'app' | 'webhook' | 'queue',
  next: NextCall,
) =>
  refuse(
    'request.precondition_failed',
    `The ${thing} has changed since you read it. Read it again and repeat the change.`,
    { next },
  );
