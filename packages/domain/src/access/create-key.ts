import type { WorkspaceId } from '../ids.js';
import type { Ports, Tx } from '../ports/index.js';
import { refuse } from '../failure.js';
import { ok, type Result } from '../result.js';
import type { Secret } from '../secret.js';
import type { ApiKey } from './api-key.js';
import { noPolicy, type Policy } from './policy.js';
import { workspaceWideScopes, type Scope } from './scope.js';

export interface CreateKey {
  readonly workspaceId: WorkspaceId;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly policy?: Partial<Policy> | undefined;
}

export interface CreatedKey {
  readonly key: ApiKey;
  /** Shown once, stored nowhere. */
  readonly token: Secret;
}

type KeyTools = Pick<Ports, 'keysmith' | 'ids' | 'clock'>;
type CreateKeyFailure = 'key.policy_exceeded' | 'profile.not_found';

/** Makes a key as the operator: no other key's scopes bound it. */
export const createKey = (
  ports: KeyTools & Pick<Ports, 'transactions'>,
  command: CreateKey,
): Promise<Result<CreatedKey, CreateKeyFailure>> =>
  ports.transactions.run((tx) => createKeyIn(tx, ports, command));

/** The same in a transaction that does more. */
export async function createKeyIn(
  tx: Tx,
  tools: KeyTools,
  command: CreateKey,
): Promise<Result<CreatedKey, CreateKeyFailure>> {
  const policy: Policy = { ...noPolicy, ...command.policy };
  const tooWide = command.scopes.filter((scope) => workspaceWideScopes.includes(scope));
  if (policy.profileIds !== null && tooWide.length > 0) {
    return refuse(
      'key.policy_exceeded',
      `A key that is bound to profiles cannot hold ${tooWide.join(', ')}.`,
    );
  }
  for (const profileId of policy.profileIds ?? []) {
    if (!(await tx.profiles.find(command.workspaceId, profileId))) {
      return refuse('profile.not_found', `There is no profile ${profileId} in this workspace.`);
    }
  }
  const { token, publicId, hash } = tools.keysmith.forge();
  const id = tools.ids.next('key');
  const key: ApiKey = {
    id,
    workspaceId: command.workspaceId,
    publicId,
    lineage: id,
    name: command.name,
    scopes: command.scopes,
    policy,
    createdAt: tools.clock.now(),
    lastUsedAt: null,
    revokedAt: null,
    replacedBy: null,
  };
  await tx.apiKeys.insert(key, hash);
  await tx.events.append({
    workspaceId: command.workspaceId,
    type: 'key.created',
    profileId: null,
    data: { key_id: id, name: key.name, scopes: key.scopes },
  });
  await tx.audit.append(byOperator(key, 'createKey'));
  return ok({ key, token });
}

export const byOperator = (key: ApiKey, action: string) => ({
  workspaceId: key.workspaceId,
  actor: 'system:operator',
  action,
  object: key.id,
  outcome: 'ok',
  requestId: '',
  details: {},
});
