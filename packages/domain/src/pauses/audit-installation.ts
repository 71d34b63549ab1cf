import type { AtomicPorts } from '../ports/index.js';

export type InstallationPorts = Pick<AtomicPorts, 'pauses' | 'workspaces' | 'audit' | 'ids'>;

/** Writes a row for every workspace: each of them is affected, and has its own audit log. */
export async function auditInstallation(
  ports: InstallationPorts,
  action: string,
  actor: string,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  const requestId = ports.ids.next('req');
  for (const { id: workspaceId } of await ports.workspaces.list())
    await ports.audit.append({ workspaceId, actor, action, object: null, outcome: 'ok', requestId, details });
}
