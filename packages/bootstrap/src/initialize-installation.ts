import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { ok, type Secret, type WorkspaceId } from '@switchboard/domain';
import { createKey, scopePresets, type Scope } from '@switchboard/domain/access';
import { auditRow } from '@switchboard/domain/audit';
import type { Ports } from '@switchboard/domain/ports';
import { createWorkspace } from '@switchboard/domain/workspaces';
import { operatorCall } from './run-as-operator.js';
import type { Config } from './config.js';

/** The two initial keys, and their files. */
export const keyFiles = (config: Pick<Config, 'dataDir'>) => ({
  full: path.join(config.dataDir, 'api-key'),
  agent: path.join(config.dataDir, 'agent-key'),
});

const WORKSPACE = 'default';

/**
 * Outside production: creates a workspace, its profile and two keys at the first start. `api-key` has every
 * scope, `agent-key` the scopes for an agent; both files are private to their owner. The next start completes
 * an interrupted first start.
 */
export async function initializeInstallation(config: Config, ports: Ports): Promise<void> {
  if (config.mode === 'production') return;
  if ((await ports.workspaces.list()).length === 0) {
    // Rejected when another process that started at the same moment was faster: then it exists.
    await createWorkspace(ports, { name: WORKSPACE });
  }
  const [workspace, ...others] = await ports.workspaces.list();
  if (workspace?.name !== WORKSPACE || others.length > 0) return;
  const files = keyFiles(config);
  await makeKey(ports, workspace.id, 'full', scopePresets.full, files.full);
  await makeKey(ports, workspace.id, 'agent', scopePresets.agent, files.agent);
}

/**
 * Only when no key of this name ever existed. The file is written before the key is created: the next start
 * rewrites a file whose key was never committed, but a key without its file would be lost.
 */
async function makeKey(
  ports: Ports,
  workspaceId: WorkspaceId,
  name: string,
  scopes: readonly Scope[],
  file: string,
): Promise<void> {
  const keyExists = async (keys: Pick<Ports['apiKeys'], 'list'>) => {
    const { items } = await keys.list(workspaceId, { limit: 100 });
    return items.length === 100 || items.some((key) => key.name === name);
  };
  if (await keyExists(ports.apiKeys)) return;
  await ports.transactions.run(async (tx) => {
    await tx.workspaces.findByName(WORKSPACE); // Serializes processes that start together.
    if (await keyExists(tx.apiKeys)) return ok();
    const call = operatorCall(ports, workspaceId);
    const created = await createKey({ ...ports, ...tx }, call, { name, scopes });
    if (!created.ok) return created;
    await tx.audit.append(auditRow(call, 'createKey', created.value.key.id, { surface: call.surface }));
    await writeKey(file, created.value.token);
    return created;
  });
}

async function writeKey(file: string, token: Secret): Promise<void> {
  const handle = await open(file, 'w', 0o600);
  await handle.chmod(0o600);
  await handle.writeFile(`${token.reveal()}\n`);
  await handle.sync();
  await handle.close();
}

export const hasKeyFiles = (config: Config): boolean => existsSync(keyFiles(config).full);
