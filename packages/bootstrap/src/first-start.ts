import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import {
  createKey,
  createWorkspace,
  scopePresets,
  type Ports,
  type Scope,
  type WorkspaceId,
} from '@switchboard/domain';
import type { Config } from './config.js';

/** The two keys of a first start, and where they lie. */
export const keyFiles = (config: Pick<Config, 'dataDir'>) => ({
  full: path.join(config.dataDir, 'api-key'),
  agent: path.join(config.dataDir, 'agent-key'),
});

/**
 * Outside production: a workspace, its profile and two keys, the first time. `api-key` holds every scope, `agent-key` what
 * an agent should hold; both files are their owner's only. Answers what was made, null when there was a workspace already.
 */
export async function firstStart(
  config: Config,
  ports: Ports,
): Promise<{ readonly madeKeys: boolean } | null> {
  if (config.mode === 'production') return null;
  if ((await ports.workspaces.list()).length > 0) return null;
  const created = await createWorkspace(ports, { name: 'default' });
  // Another process that started at the same moment was quicker.
  if (!created.ok) return null;
  const files = keyFiles(config);
  const workspaceId = created.value.workspace.id;
  await writeKey(ports, workspaceId, 'full', scopePresets.full, files.full);
  await writeKey(ports, workspaceId, 'agent', scopePresets.agent, files.agent);
  return { madeKeys: true };
}

async function writeKey(
  ports: Ports,
  workspaceId: WorkspaceId,
  name: string,
  scopes: readonly Scope[],
  file: string,
): Promise<void> {
  // A file from an earlier database holds a key that this one does not know: it is replaced.
  const created = await createKey(ports, { workspaceId, name, scopes });
  if (!created.ok) throw new Error(`the first key could not be made: ${created.failure.code}`);
  const handle = await open(file, 'w', 0o600);
  await handle.chmod(0o600);
  await handle.writeFile(`${created.value.token.reveal()}\n`);
  await handle.close();
}

export const hasKeyFiles = (config: Config): boolean => existsSync(keyFiles(config).full);
