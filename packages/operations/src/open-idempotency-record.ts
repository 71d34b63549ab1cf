import {
  canonicalJson,
  keyOf,
  reachOf,
  refuse,
  Secret,
  type Call,
  type FailureCode,
  type IdempotencyScope,
  type Ports,
  type Result,
  type SealBinding,
  type Tx,
} from '@switchboard/domain';
import { createReplayResponse, type OperationResponse } from './operation-response.js';
import type { Operation } from './define.js';
import type { ParsedInput } from './parse.js';

/** What is remembered of one request: whether it was answered, and its answer. */
export interface IdempotencyRecord {
  /** Handed to the use case, so that a resumed request finds its own work. */
  readonly token: NonNullable<Call['idempotency']> | undefined;
  /** Null: nobody asked this before, go on. An answer: it is the same request, say it again. */
  claim(tx: Tx): Promise<Result<OperationResponse | null, FailureCode>>;
  storeResponse(tx: Tx, answer: OperationResponse): Promise<void>;
  /** Keeps what a caller who waited was told in the end. */
  replaceResponse(tx: Tx, answer: OperationResponse): Promise<void>;
  release(tx: Tx): Promise<void>;
}

/** What is sealed: the body, and the profiles that the key reached which asked for it; null for all. */
interface StoredResponse {
  readonly reach: readonly string[] | null;
  readonly body: string;
}

/**
 * Keys of one family share what they asked for, and a younger one may reach less. What it does not reach is not told to it
 * again: an answer that names its profile is judged by that, any other by the reach it was made with.
 */
function mayReplayTo(call: Call, storedResponse: StoredResponse, { value }: OperationResponse): boolean {
  const reach: readonly string[] | null = reachOf(call);
  if (reach === null) return true;
  const profileId = value['profile_id'];
  if (typeof profileId === 'string') return reach.includes(profileId);
  return storedResponse.reach?.every((id) => reach.includes(id)) ?? false;
}

const noopStore: IdempotencyRecord = {
  token: undefined,
  claim: () => Promise.resolve({ ok: true, value: null }),
  storeResponse: () => Promise.resolve(),
  replaceResponse: () => Promise.resolve(),
  release: () => Promise.resolve(),
};

/** What may be said again: without what is shown once. */
function replayableBody({ oneTimeFields: shownOnce }: Operation, { body, value, failure }: OperationResponse): string {
  if (shownOnce.length === 0 || failure) return body;
  const hidden = Object.fromEntries(shownOnce.map((name) => [name, null]));
  return JSON.stringify({ ...value, ...hidden, secret_available: false });
}

/** A staged request that died is taken up again after this. */
const LEASE_SECONDS = 60;

export async function openIdempotencyRecord(
  ports: Ports,
  operation: Operation,
  call: Call,
  input: ParsedInput,
  key: string | undefined,
): Promise<Result<IdempotencyRecord, 'request.invalid' | 'vault.unavailable' | 'vault.unreadable'>> {
  if (key === undefined || !operation.idempotent) return { ok: true, value: noopStore };
  if (!/^[\x20-\x7e]{1,255}$/.test(key)) {
    return refuse('request.invalid', 'An idempotency key is 1 to 255 printable ASCII characters.');
  }
  const unlocked = await ports.vault.unlock(call.workspaceId);
  if (!unlocked.ok) return unlocked;
  const vault = unlocked.value;
  const { lineage } = keyOf(call);
  const scope: IdempotencyScope = { workspaceId: call.workspaceId, operation: operation.name, lineage, key };
  const fingerprint = ports.tokens.digestHex(canonicalJson({ operation: operation.name, input: input.wire }));
  const binding: SealBinding = {
    table: 'idempotency_keys',
    row: `${operation.name}:${lineage}:${key}`,
    field: 'body',
    generation: 0,
  };

  const sealResponse = (answer: OperationResponse) => {
    const storedResponse: StoredResponse = { reach: reachOf(call), body: replayableBody(operation, answer) };
    return vault.seal(binding, new Secret(JSON.stringify(storedResponse)));
  };

  return {
    ok: true,
    value: {
      token: { key, fingerprint, lineage },
      async claim(tx) {
        const claim = await tx.idempotency.claim(scope, fingerprint, LEASE_SECONDS);
        if (claim.kind === 'claimed') return { ok: true, value: null };
        if (claim.fingerprint !== null && claim.fingerprint !== fingerprint) {
          return refuse(
            'idempotency.key_reused',
            'This idempotency key was used for another request. Use a new key for a new request.',
          );
        }
        if (claim.kind === 'in_progress') {
          return refuse(
            'idempotency.in_progress',
            'A request with this idempotency key is still running. Ask again shortly.',
            {
              retryAfterSeconds: 1,
            },
          );
        }
        const opened = vault.open(binding, claim.sealedBody);
        if (!opened.ok) return opened;
        const storedResponse = JSON.parse(opened.value.reveal()) as StoredResponse;
        const answer = createReplayResponse(claim.status, storedResponse.body);
        return mayReplayTo(call, storedResponse, answer)
          ? { ok: true, value: answer }
          : refuse('key.policy_exceeded', 'This key does not reach what the same request did before.');
      },
      storeResponse: (tx, answer) => tx.idempotency.storeResponse(scope, answer.status, sealResponse(answer)),
      replaceResponse: (tx, answer) => tx.idempotency.replaceResponse(scope, answer.status, sealResponse(answer)),
      release: (tx) => tx.idempotency.release(scope),
    },
  };
}
