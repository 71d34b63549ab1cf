import type { ApiKey } from './access/api-key.js';
import type { ProfileId, WorkspaceId } from './ids.js';

export type Surface = 'rest' | 'mcp' | 'cli' | 'hosted_page' | 'worker';

/** Who acts: a key, or a part of the service itself (`worker`, `operator`, `connect page`). */
export type Actor =
  { readonly kind: 'key'; readonly key: ApiKey } | { readonly kind: 'system'; readonly name: string };

/** How far something has come that somebody waits for, in words that we wrote. */
export interface Progress {
  readonly done: number;
  /** Null where nobody knows how much there is. */
  readonly total: number | null;
  readonly message: string;
}

/** What every use case is told about the request that it serves. */
export interface Call {
  readonly requestId: string;
  readonly surface: Surface;
  readonly workspaceId: WorkspaceId;
  readonly actor: Actor;
  /** Aborted when nobody waits for the answer any more. What has been committed goes on without it. */
  readonly signal: AbortSignal;
  /** How long the caller is willing to wait for a settled answer, in seconds; 0 means not at all. */
  readonly waitSeconds: number;
  /** Present when the caller wants to hear of it while it waits; never throws. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /** Present when the caller sent an idempotency key: with what it did, so that a resumed request finds its own work. */
  readonly idempotency?:
    { readonly key: string; readonly fingerprint: string; readonly lineage: string } | undefined;
  /**
   * Where a person sits beside the caller and can be asked: whether they have said yes to exactly this. Undefined where there
   * is nobody to ask, which stops nothing.
   */
  readonly confirmed?: boolean | undefined;
  /** The version that the caller has seen (`If-Match`), where it gave one. */
  readonly ifMatch?: string | undefined;
}

/** The key that acts; use cases that only keys may run say so by calling this. */
export function keyOf(call: Call): ApiKey {
  if (call.actor.kind !== 'key') throw new Error(`no API key acts here, but ${call.actor.name}`);
  return call.actor.key;
}

/** The profiles that this call may see and touch: null means all of the workspace's. */
export const reachOf = (call: Call): readonly ProfileId[] | null =>
  call.actor.kind === 'key' ? (call.actor.key.policy.profileIds ?? null) : null;

export const reaches = (call: Call, profileId: ProfileId): boolean => {
  const reach = reachOf(call);
  return reach === null || reach.includes(profileId);
};

/** The actor of what nobody asked for at that moment: what is due, and what is looked up by itself. */
export const WORKER = 'system:worker';

/** Who is written into events, posts and audit rows. */
export const actorName = (call: Call): string =>
  call.actor.kind === 'key' ? call.actor.key.id : `system:${call.actor.name}`;
