import { getKey, updateKey } from '@switchboard/domain/access';
import { presentKey } from '@switchboard/operations';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { findWorkspace } from '../find-workspace.js';
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
import { afterDays, readName } from '../options.js';
import { runAtomically, operatorCall } from '../operator.js';
import { commandOutput, usageError } from '../command-result.js';
import { withService } from '../with-service.js';

interface Options extends KeyOptions {
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

async function update(id: string, { name, workspace: workspaceRef, ...options }: Options) {
  const requestedScopes = readScopes(options, false);
  if (!requestedScopes.ok) return requestedScopes;
  if (requestedScopes.value?.length === 0)
    return usageError('A key needs at least one scope; to disable it, revoke it.');
  const policyCheck = readPolicy(options, () => new Date(0));
  if (!policyCheck.ok) return policyCheck;
  const changesPolicy = options.profile !== undefined || Object.keys(policyCheck.value).length > 0;
  if (name === undefined && requestedScopes.value === null && !changesPolicy) {
    return usageError('Nothing to change; see `switchboard keys update --help`.');
  }
  return withService(async (context) => {
    const workspace = await findWorkspace(context, workspaceRef);
    if (!workspace.ok) return workspace;
    const call = operatorCall(context, workspace.value.id);
    const before = await getKey(context.service.ports, call, { id });
    if (!before.ok) return before;
    const isBound = bindsToProfiles(options) ?? before.value.policy.profileIds !== null;
    const scopes = readScopes(options, isBound);
    if (!scopes.ok) return scopes;
    const isNewlyRefunding =
      scopes.value?.includes('refunds:write') && !before.value.scopes.includes('refunds:write');
    if (isNewlyRefunding && !options.refundLimit && !before.value.policy.refundCeilings)
      return needsRefundLimit();
    const policy = readPolicy(options, afterDays(context));
    if (!policy.ok) return policy;
    const profileIds = await findBoundProfiles(context, workspace.value.id, options);
    if (!profileIds.ok) return profileIds;
    const wantedPolicy = { ...policy.value, profileIds: profileIds.value };
    const changes = { id, name, scopes: scopes.value ?? undefined, policy: wantedPolicy };
    const updated = await runAtomically(
      context,
      call,
      'updateKey',
      (ports) => updateKey(ports, call, changes),
      (key) => key.id,
    );
    if (!updated.ok) return updated;
    reportLeftOutScopes(options, isBound);
    return commandOutput(presentKey(updated.value), `Updated ${updated.value.name} (${updated.value.id}).`);
  });
}
