import type { ApiKey } from './access/api-key.js';
import type { ProfileId, WorkspaceId } from './ids.js';
import type { MediaProbes } from './media/probe-media.js';
import type { EndpointCheck } from './webhooks/check-endpoint.js';

export type Surface = 'rest' | 'mcp' | 'cli' | 'hosted_page' | 'worker';

/** The actor of a call: a key, or a part of the service itself (`worker`, `operator`, `connect page`). */
type Actor =
  | { readonly kind: 'key'; readonly key: ApiKey }
  | { readonly kind: 'system'; readonly name: string };

/** The progress of an operation that a caller waits for. The message is written by this service. */
export interface Progress {
  readonly done: number;
  /** Null when the total is unknown. */
  readonly total: number | null;
  readonly message: string;
}

/** The context of the request that a use case serves. */
export interface Call {
  readonly requestId: string;
  readonly surface: Surface;
  readonly workspaceId: WorkspaceId;
  readonly actor: Actor;
  /** The client's address, as far as trusted proxies report it; stdio is loopback. Undefined where there is no client. */
  readonly address?: string | undefined;
  /** Aborted when the caller no longer waits for the response. Committed work continues. */
  readonly signal: AbortSignal;
  /** How many seconds the caller waits for a final result; 0 means not at all. */
  readonly waitSeconds: number;
  /** Whether the caller itself set that time; otherwise it is the default of the operation. */
  readonly requestsWait?: boolean | undefined;
  /** Present when the caller subscribes to progress; never throws. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * Present when the caller sent an idempotency key: it references the work of the first request, so that a
   * resumed request finds it.
   */
  readonly idempotency?:
    | { readonly key: string; readonly fingerprint: string; readonly lineage: string }
    | undefined;
  /**
   * Whether the user of this client confirmed exactly this request. Undefined when the client cannot ask a
   * user, which blocks nothing.
   */
  readonly confirmed?: boolean | undefined;
  /** What was learned about the media of the request before its transaction, see `withMediaProbes`. */
  readonly mediaProbes?: MediaProbes | undefined;
  /** What was read from the network for a webhook before its transaction, see `withEndpointCheck`. */
  readonly endpointCheck?: EndpointCheck | undefined;
  /** The version that the caller read (`If-Match`), when sent. */
  readonly ifMatch?: string | undefined;
}

/** A call of a part of the service itself, which does not wait for results. */
export const systemCall = (
  name: string,
  surface: Surface,
  call: Pick<Call, 'workspaceId' | 'requestId' | 'signal' | 'address'>,
): Call => ({ ...call, surface, actor: { kind: 'system', name }, waitSeconds: 0 });

/** The calling key, for use cases that only keys may run. */
export function keyOf(call: Call): ApiKey {
  if (call.actor.kind !== 'key') throw new Error(`the actor is not an API key but ${call.actor.name}`);
  return call.actor.key;
}

/** The profiles that this call may access: null means all of the workspace's. */
export const reachOf = (call: Call): readonly ProfileId[] | null =>
  call.actor.kind === 'key' ? (call.actor.key.policy.profileIds ?? null) : null;

export const reaches = (call: Call, profileId: ProfileId): boolean => {
  const reach = reachOf(call);
  return reach === null || reach.includes(profileId);
};

/** The actor of background work: due deliveries and automatic lookups. */
export const WORKER = 'system:worker';

/** The actor name written to events, posts and audit rows. */
export const actorName = (call: Pick<Call, 'actor'>): string =>
  call.actor.kind === 'key' ? call.actor.key.id : `system:${call.actor.name}`;
