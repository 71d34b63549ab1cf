import {
  canonicalJson,
  keyOf,
  reachOf,
  refuse,
  Secret,
  type Call,
  type FailureCode,
  type Result,
} from '@switchboard/domain';
import type { IdempotencyScope, Ports, SealBinding, Tx, UnlockedVault } from '@switchboard/domain/ports';
import { createReplayResponse, type OperationResponse } from './operation-response.js';
import type { Operation } from '../define.js';
import type { ParsedInput } from './parse.js';
import { hasSecretInput } from './has-secret-input.js';

/** The stored state of one request: whether it has completed, and its response. */
export interface IdempotencyRecord {
  /** Passed to the use case, so that a resumed request finds its own work. */
  readonly token: NonNullable<Call['idempotency']> | undefined;
  /** Null: a new request, continue. A response: the same request was sent before, replay it. */
  claim(tx: Tx): Promise<Result<OperationResponse | null, FailureCode>>;
  storeResponse(tx: Tx, answer: OperationResponse): Promise<void>;
  /** Stores the final response of a caller that waited. */
  replaceResponse(tx: Tx, answer: OperationResponse): Promise<void>;
  release(tx: Tx): Promise<void>;
}

/** The sealed content: the body with its entity tag, and the profiles that the requesting key could access; null for all. */
interface StoredResponse {
  readonly reach: readonly string[] | null;
  readonly body: string;
  /** Absent in responses that version 0.1.0 stored. */
  readonly etag?: string | null;
}

/**
 * Keys of one family share their responses, and a newer key may have less access. A response is not replayed
 * to a key that cannot access it: a response that names its profile is checked by that profile, any other by
 * the access of the original key.
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

/** The body of a replay: without the fields that are returned once. */
function replayableBody({ oneTimeFields }: Operation, { body, value, failure }: OperationResponse): string {
  if (oneTimeFields.length === 0 || failure) return body();
  const hidden = Object.fromEntries(oneTimeFields.map((name) => [name, null]));
  return JSON.stringify({ ...value, ...hidden, secret_available: false });
}

const fingerprintKey = (vault: UnlockedVault): string =>
  [...vault.derive('idempotency_fingerprint')].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** After this time another request takes over a staged request whose process died. */
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
  const request = canonicalJson({ operation: operation.name, input: input.wire });
  // A plain hash of a secret would confirm a guess of it.
  const fingerprint = ports.tokens.digestHex(
    hasSecretInput(operation.input) ? fingerprintKey(vault) + request : request,
  );
  const binding: SealBinding = {
    table: 'idempotency_keys',
    row: `${operation.name}:${lineage}:${key}`,
    field: 'body',
    generation: 0,
  };

  const sealResponse = (answer: OperationResponse) => {
    const body = replayableBody(operation, answer);
    const storedResponse: StoredResponse = { reach: reachOf(call), body, etag: answer.etag };
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
            'A request with this idempotency key is still in progress. Retry shortly.',
            {
              retryAfterSeconds: 1,
            },
          );
        }
        const opened = vault.open(binding, claim.sealedBody);
        if (!opened.ok) return opened;
        const storedResponse = JSON.parse(opened.value.reveal()) as StoredResponse;
        const answer = createReplayResponse(claim.status, storedResponse.body, storedResponse.etag ?? null);
        return mayReplayTo(call, storedResponse, answer)
          ? { ok: true, value: answer }
          : refuse('key.policy_exceeded', 'This key cannot access the result of the original request.');
      },
      storeResponse: (tx, answer) => tx.idempotency.storeResponse(scope, answer.status, sealResponse(answer)),
      replaceResponse: (tx, answer) =>
        tx.idempotency.replaceResponse(scope, answer.status, sealResponse(answer)),
      release: (tx) => tx.idempotency.release(scope),
    },
  };
}
