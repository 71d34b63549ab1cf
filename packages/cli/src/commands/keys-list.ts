import { formatAmount, type WorkspaceId } from '@switchboard/domain';
import type { ApiKey } from '@switchboard/domain/access';
import type { Ports } from '@switchboard/domain/ports';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { findWorkspace } from '../find-workspace.js';
import { commandOutput } from '../command-result.js';
import { presentKey } from '@switchboard/operations';
import { table } from '../table.js';
import { withService } from '../with-service.js';

export const keysList = (keys: Command) =>
  keys
    .command('list')
    .description('list the API keys of a workspace, newest first')
    .option('--workspace <name>', 'id or name; default: the only one')
    .action(
      toAction(({ workspace: workspaceRef }: { workspace?: string }) =>
        withService(async (context) => {
          const workspace = await findWorkspace(context, workspaceRef);
          if (!workspace.ok) return workspace;
          const { ports } = context.service;
          const all = await allKeys(ports, workspace.value.id);
          const now = ports.clock.now();
          const rows = all.map((key) => [
            key.id,
            key.name,
            stateOf(key, now),
            key.lastUsedAt?.toISOString() ?? 'never used',
            limitsOf(key),
            key.scopes.join(','),
          ]);
          return commandOutput(
            { data: all.map(presentKey) },
            table(['id', 'name', 'state', 'last used', 'limits', 'scopes'], rows, 'No keys.'),
          );
        }),
      ),
    );

/** The restrictions of a key besides its scopes; "-" when there are none. */
function limitsOf({ scopes, policy }: ApiKey): string {
  const { profileIds, allowedCidrs, refundCeilings, approval, hidePersonalData } = policy;
  const limits = [
    ...(profileIds ? [`${profileIds.length} profile(s)`] : []),
    ...(allowedCidrs ? [`from ${allowedCidrs.join(' ')}`] : []),
    ...(scopes.includes('refunds:write') ? [refundsOf(refundCeilings)] : []),
    ...(approval ? ['approval'] : []),
    ...(hidePersonalData ? ['personal data hidden'] : []),
  ];
  return limits.join(', ') || '-';
}

function refundsOf(ceilings: ApiKey['policy']['refundCeilings']): string {
  if (!ceilings) return 'unlimited refunds';
  const each = ceilings.map(({ currency, perRefundMinor, perDayMinor }) => {
    const [one, day] = [perRefundMinor, perDayMinor].map((amountMinor) =>
      formatAmount({ amountMinor, currency }),
    );
    return `${currency}:${one}/${day}`;
  });
  return `refunds ${each.join(' ') || 'none'}`;
}

async function allKeys({ apiKeys }: Pick<Ports, 'apiKeys'>, workspaceId: WorkspaceId): Promise<ApiKey[]> {
  const all: ApiKey[] = [];
  for (let after: string | undefined; ;) {
    const { items, next } = await apiKeys.list(workspaceId, { limit: 100, after });
    all.push(...items);
    if (next === undefined) return all;
    after = next;
  }
}

function stateOf({ revokedAt, replacedBy, policy: { expiresAt } }: ApiKey, now: Date): string {
  if (revokedAt) return 'revoked';
  if (replacedBy)
    return expiresAt && expiresAt > now ? `rotated, until ${expiresAt.toISOString()}` : 'rotated';
  if (!expiresAt) return 'valid';
  return expiresAt <= now ? 'expired' : `until ${expiresAt.toISOString().slice(0, 10)}`;
}
