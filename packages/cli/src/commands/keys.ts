import {
  createKey,
  type ApiKey,
  type CreatedKey,
  getKey,
  updateKey,
  rotateKey,
  revokeKey,
} from '@switchboard/domain/access';
import { presentNewKey, presentKey } from '@switchboard/operations';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { withWorkspace } from '../find-workspace.js';
import {
  bindsToProfiles,
  findBoundProfiles,
  needsRefundLimit,
  readPolicy,
  readScopes,
  reportLeftOutScopes,
  withKeyOptions,
  type KeyOptions,
} from '../key-options.js';
import { afterDays, readName, readOverlap } from '../options.js';
import { runAtomically } from '../operator.js';
import { commandOutput, usageError } from '../command-result.js';
import { printNotice } from '../print-notice.js';
import { formatAmount, ok, type Call, type Result, type WorkspaceId } from '@switchboard/domain';
import type { Ports } from '@switchboard/domain/ports';
import { table } from '../table.js';
import type { CommandContext } from '../with-service.js';

interface CreateOptions extends KeyOptions {
  readonly name: string;
  readonly workspace?: string;
}

export const keysCreate = (keys: Command) =>
  withKeyOptions(
    keys
      .command('create')
      .description('create an API key; the secret is shown once')
      .requiredOption('--name <name>', 'name of the key', readName),
  )
    .option('--workspace <name>', 'id or name; default: the only one')
    .action(toAction(create));

async function create(options: CreateOptions) {
  const wanted = readNewKey(options);
  if (!wanted.ok) return wanted;
  return withWorkspace(options.workspace, async (context, workspace, call) => {
    const created = await wanted.value(context, workspace.id, call);
    if (!created.ok) return created;
    const { key, token } = created.value;
    printNotice(`Created ${key.name} (${key.id}). The key is shown only once:`);
    return commandOutput(presentNewKey(created.value), token.reveal());
  });
}

type KeyCreation = (
  context: CommandContext,
  workspaceId: WorkspaceId,
  call: Call,
) => Promise<Result<CreatedKey>>;

/** Reports invalid options before anything is opened; returns what creates the key. */
export function readNewKey({
  name,
  ...options
}: KeyOptions & { readonly name: string }): Result<KeyCreation> {
  const isBound = bindsToProfiles(options) ?? false;
  const scopes = readScopes(options, isBound);
  if (!scopes.ok) return scopes;
  if (!scopes.value?.length) {
    return usageError('Specify the scopes: --preset agent|reader|full, or --scopes.');
  }
  const requestedScopes = scopes.value;
  if (requestedScopes.includes('refunds:write') && !options.refundLimit) return needsRefundLimit();
  const policyCheck = readPolicy(options, () => new Date(0));
  if (!policyCheck.ok) return policyCheck;
  return ok(async (context, workspaceId, call) => {
    const policy = readPolicy(options, afterDays(context));
    if (!policy.ok) return policy;
    const profileIds = await findBoundProfiles(context, workspaceId, options);
    if (!profileIds.ok) return profileIds;
    const wantedPolicy = { ...policy.value, profileIds: profileIds.value };
    const created = await runAtomically(context, call, 'createKey', (ports) =>
      createKey(ports, call, { name, scopes: requestedScopes, policy: wantedPolicy }),
    );
    if (created.ok) reportLeftOutScopes(options, isBound);
    return created;
  });
}

export const keysList = (keys: Command) =>
  keys
    .command('list')
    .description('list the API keys of a workspace, newest first')
    .option('--workspace <name>', 'id or name; default: the only one')
    .action(
      toAction(({ workspace: workspaceRef }: { workspace?: string }) =>
        withWorkspace(workspaceRef, async (context, workspace) => {
          const { ports } = context.service;
          const all = await allKeys(ports, workspace.id);
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

export async function allKeys(
  { apiKeys }: Pick<Ports, 'apiKeys'>,
  workspaceId: WorkspaceId,
): Promise<ApiKey[]> {
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

interface UpdateOptions extends KeyOptions {
  readonly name?: string;
  readonly workspace?: string;
}

export const keysUpdate = (keys: Command) =>
  withKeyOptions(
    keys
      .command('update')
      .description('update the name, scopes and limits of an API key; the secret stays the same')
      .argument('<id>')
      .option('--name <name>', 'name of the key', readName),
  )
    .option('--workspace <name>', 'id or name; default: the only one')
    .action(toAction(update));

async function update(id: string, { name, workspace: workspaceRef, ...options }: UpdateOptions) {
  const requestedScopes = readScopes(options, false);
  if (!requestedScopes.ok) return requestedScopes;
  if (requestedScopes.value?.length === 0)
    return usageError('A key needs at least one scope; to disable it, revoke it.');
  // Hours alone are valid for a key that has such a policy.
  const { approvalHours, ...checked } = options;
  const policyCheck = readPolicy(checked, () => new Date(0));
  if (!policyCheck.ok) return policyCheck;
  const changesPolicy =
    options.profile !== undefined || approvalHours !== undefined || Object.keys(policyCheck.value).length > 0;
  if (name === undefined && requestedScopes.value === null && !changesPolicy) {
    return usageError('Nothing to change; see `switchboard keys update --help`.');
  }
  return withWorkspace(workspaceRef, async (context, workspace, call) => {
    const before = await getKey(context.service.ports, call, { id });
    if (!before.ok) return before;
    const isBound = bindsToProfiles(options) ?? before.value.policy.profileIds !== null;
    const scopes = readScopes(options, isBound);
    if (!scopes.ok) return scopes;
    const isNewlyRefunding =
      scopes.value?.includes('refunds:write') && !before.value.scopes.includes('refunds:write');
    if (isNewlyRefunding && !options.refundLimit && !before.value.policy.refundCeilings)
      return needsRefundLimit();
    const policy = readPolicy(options, afterDays(context), before.value.policy.approval);
    if (!policy.ok) return policy;
    const profileIds = await findBoundProfiles(context, workspace.id, options);
    if (!profileIds.ok) return profileIds;
    const wantedPolicy = { ...policy.value, profileIds: profileIds.value };
    const changes = { id, name, scopes: scopes.value ?? undefined, policy: wantedPolicy };
    const updated = await runAtomically(context, call, 'updateKey', (ports) =>
      updateKey(ports, call, changes),
    );
    if (!updated.ok) return updated;
    reportLeftOutScopes(options, isBound);
    return commandOutput(presentKey(updated.value), `Updated ${updated.value.name} (${updated.value.id}).`);
  });
}

interface RotateOptions {
  readonly overlapSeconds: number;
  readonly workspace?: string;
}

export const keysRotate = (keys: Command) =>
  keys
    .command('rotate')
    .description('rotate an API key; the new secret is shown once')
    .argument('<id>')
    .option(
      '--overlap-seconds <seconds>',
      'how long the old key stays valid; 0 revokes it now',
      readOverlap,
      3600,
    )
    .option('--workspace <name>', 'id or name; default: the only one')
    .action(toAction(rotate));

async function rotate(id: string, { overlapSeconds, workspace: workspaceRef }: RotateOptions) {
  return withWorkspace(workspaceRef, async (context, workspace, call) => {
    const rotated = await runAtomically(context, call, 'rotateKey', (ports) =>
      rotateKey(ports, call, { id, overlapSeconds }),
    );
    if (!rotated.ok) return rotated;
    const { key, token } = rotated.value;
    const ends = overlapSeconds === 0 ? 'is revoked' : `stays valid for at most ${overlapSeconds} seconds`;
    printNotice(`${key.id} replaces ${id}, which ${ends}. The new key is shown only once:`);
    return commandOutput(presentNewKey(rotated.value), token.reveal());
  });
}

export const keysRevoke = (keys: Command) =>
  keys
    .command('revoke')
    .description('revoke an API key immediately')
    .argument('<id>')
    .option('--workspace <name>', 'id or name; default: the only one')
    .action(
      toAction((text: string, { workspace: workspaceRef }: { workspace?: string }) =>
        withWorkspace(workspaceRef, async (context, workspace, call) => {
          const revoked = await runAtomically(context, call, 'revokeKey', (ports) =>
            revokeKey(ports, call, { id: text }),
          );
          if (!revoked.ok) return revoked;
          return commandOutput(
            presentKey(revoked.value),
            `Revoked ${revoked.value.name} (${revoked.value.id}).`,
          );
        }),
      ),
    );
