import { ancestorsOfNewKey } from '../access/ancestors.js';
import type { ApiKey } from '../access/api-key.js';
import { getKey } from '../access/get-key.js';
import { checkKeyBounds } from '../access/key-bounds.js';
import { getRemainingCeilings } from '../access/refund-ceiling.js';
import { isUsable } from '../access/key-rejection.js';
import { actorName, type Call } from '../call.js';
import { notFound, refuse } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { Secret } from '../secret.js';
import { listGrantableScopes } from './grantable-scopes.js';
import { createInvitationCode, digestInvitationCode } from './invitation-code.js';
import type { Invitation } from './invitation.js';

interface CreateInvitation {
  readonly id: string;
  readonly expiresInMinutes: number;
  readonly maxClients: number;
}

export interface CreatedInvitation {
  readonly invitation: Invitation;
  readonly key: ApiKey;
  /** Returned once, never stored. */
  readonly code: Secret;
}

type CreateInvitationFailure =
  | 'key.not_found'
  | 'key.ended'
  | 'key.nothing_to_grant'
  | 'key.scope_exceeded'
  | 'key.policy_exceeded'
  | 'key.delegation_too_deep';

/**
 * Creates an invitation to a key. A key that invites to another key can act through it afterwards, as if it
 * had rotated it: it can invite only to keys within its own scopes and policy, and becomes their ancestor.
 */
export async function createInvitation(
  ports: Pick<AtomicPorts, 'apiKeys' | 'invitations' | 'refunds' | 'tokens' | 'ids' | 'clock'>,
  call: Call,
  { id, expiresInMinutes, maxClients }: CreateInvitation,
): Promise<Result<CreatedInvitation, CreateInvitationFailure>> {
  const found = await getKey(ports, call, { id });
  if (!found.ok) return found;
  const { value: key } = found;
  if (key.replacedBy !== null || !isUsable(key, ports.clock.now())) {
    const message = 'This key is revoked, expired, or rotated. Invite to the key that replaced it.';
    return refuse('key.ended', message, { next: nextCall.listKeys() });
  }
  const bounds = checkKeyBounds(call, key);
  if (!bounds.ok) return bounds;
  const ceilings = await getRemainingCeilings(ports, call.workspaceId, key);
  if (listGrantableScopes(key, ceilings !== null).length === 0) {
    return refuse(
      'key.nothing_to_grant',
      'This key holds no scope that a client can be granted. Administration, approvals and the audit log are never granted, and refunds only with a refund ceiling.',
    );
  }
  const invitedKey = await becomeAncestor(ports, call, key);
  if (!invitedKey.ok) return invitedKey;
  const code = createInvitationCode(ports.tokens);
  const digest = digestInvitationCode(ports.tokens, code.reveal());
  if (digest === null) throw new Error('a new code is well-formed');
  const now = ports.clock.now();
  const invitation: Invitation = {
    id: ports.ids.next('inv'),
    workspaceId: call.workspaceId,
    lineage: key.lineage,
    maxClients,
    uses: 0,
    createdBy: actorName(call),
    createdAt: now,
    expiresAt: new Date(now.getTime() + expiresInMinutes * 60_000),
  };
  await ports.invitations.insert(invitation, digest);
  return ok({ invitation, key: invitedKey.value, code });
}

/** Refunds and requests of the clients count against the limits of the inviting key as well. */
async function becomeAncestor(
  ports: Pick<AtomicPorts, 'apiKeys'>,
  call: Call,
  key: ApiKey,
): Promise<Result<ApiKey, 'key.not_found' | 'key.delegation_too_deep'>> {
  const ancestors = ancestorsOfNewKey(call, key);
  if (!ancestors.ok) return ancestors;
  if (ancestors.value.every((lineage) => key.ancestors.includes(lineage))) return ok(key);
  const changed = await ports.apiKeys.update(call.workspaceId, key.id, { ancestors: ancestors.value });
  return changed ? ok(changed) : notFound('key');
}
