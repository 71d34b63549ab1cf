import type { ApiKey, Ports, WorkspaceId } from '@switchboard/domain';
import type { Command } from 'commander';
import { act } from '../act.js';
import { findWorkspace } from '../find-workspace.js';
import { answer } from '../outcome.js';
import { presentKey } from '@switchboard/operations';
import { table } from '../table.js';
import { withService } from '../with-service.js';

export const keysList = (keys: Command) =>
  keys
    .command('list')
    .description('list the API keys of a workspace, newest first')
    .option('--workspace <name>', 'id or name; default: the only one')
    .action(
      act(({ workspace: wanted }: { workspace?: string }) =>
        withService(async (desk) => {
          const workspace = await findWorkspace(desk, wanted);
          if (!workspace.ok) return workspace;
          const { ports } = desk.service;
          const all = await allKeys(ports, workspace.value.id);
          const now = ports.clock.now();
          const rows = all.map((key) => [
            key.id,
            key.name,
            stateOf(key, now),
            key.lastUsedAt?.toISOString() ?? 'never used',
            key.scopes.join(','),
          ]);
          return answer(
            { data: all.map(presentKey) },
            table(['id', 'name', 'state', 'last used', 'scopes'], rows, 'There is no key.'),
          );
        }),
      ),
    );

async function allKeys({ apiKeys }: Pick<Ports, 'apiKeys'>, workspaceId: WorkspaceId): Promise<ApiKey[]> {
  const all: ApiKey[] = [];
  for (let after: string | undefined; ;) {
    const { items, next } = await apiKeys.list(workspaceId, { limit: 100, after });
    all.push(...items);
    if (next === undefined) return all;
    after = next;
  }
}

function stateOf({ revokedAt, policy: { expiresAt } }: ApiKey, now: Date): string {
  if (revokedAt) return 'revoked';
  if (!expiresAt) return 'valid';
  return expiresAt <= now ? 'expired' : `until ${expiresAt.toISOString().slice(0, 10)}`;
}
