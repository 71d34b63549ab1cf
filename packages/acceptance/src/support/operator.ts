import { setTimeout as sleep } from 'node:timers/promises';
import { createKeyAsOperator, operatorCall, startService, type Service } from '@switchboard/bootstrap';
import type { KeyId, WorkspaceId } from '@switchboard/domain';
import { revokeKey, type KeyPolicy, type Scope } from '@switchboard/domain/access';
import { createWorkspace } from '@switchboard/domain/workspaces';
import { discardLog } from './discard-log.js';
import type { Switchboard } from './installation.js';

export interface KeyOptions {
  readonly scopes: readonly Scope[];
  readonly policy?: Partial<KeyPolicy> | undefined;
  /** The first workspace when omitted. */
  readonly workspaceId?: WorkspaceId | undefined;
}

export interface CreatedKey {
  readonly id: KeyId;
  readonly token: string;
  readonly revoke: () => Promise<void>;
}

/** An operator's command-line actions, executed through a separate service on the same database. */
export interface Operator {
  readonly service: Service;
  readonly workspaceId: WorkspaceId;
  createKey(options: KeyOptions): Promise<CreatedKey>;
  /**
   * A key that expired a second ago; takes two seconds because no key can be created with an expiry in the
   * past.
   */
  createExpiredKey(wish: { scopes: readonly Scope[] }): Promise<{ token: string }>;
  createWorkspace(name: string): Promise<WorkspaceId>;
  close(): Promise<void>;
}

export async function openOperator({ env }: Pick<Switchboard, 'env'>): Promise<Operator> {
  const service = await startService({ app: 'cli', logTo: discardLog, env: { ...env, LOG_LEVEL: 'silent' } });
  const { ports } = service;
  const [first] = await ports.workspaces.list();
  if (!first) throw new Error('The first start created no workspace.');
  const operator: Operator = {
    service,
    workspaceId: first.id,
    async createKey({ scopes, policy, workspaceId = first.id }) {
      const created = await createKeyAsOperator(ports, { workspaceId, name: 'acceptance', scopes, policy });
      if (!created.ok) throw new Error(created.failure.message);
      const { key, token } = created.value;
      return {
        id: key.id,
        token: token.reveal(),
        revoke: async () => {
          const call = operatorCall(ports, workspaceId);
          await ports.transactions.run((tx) => revokeKey({ ...ports, ...tx }, call, { id: key.id }));
        },
      };
    },
    async createExpiredKey({ scopes }) {
      const expiresAt = new Date(Date.now() + 1000);
      const { token } = await operator.createKey({ scopes, policy: { expiresAt } });
      await sleep(2000);
      return { token };
    },
    async createWorkspace(name) {
      const created = await createWorkspace(ports, { name });
      if (!created.ok) throw new Error(created.failure.message);
      return created.value.workspace.id;
    },
    close: () => service.close(),
  };
  return operator;
}
