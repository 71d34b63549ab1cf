import { getKey, updateKey } from '@switchboard/domain';
import { presentKey } from '@switchboard/operations';
import type { Command } from 'commander';
import { act } from '../act.js';
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
import { atomically, operatorCall } from '../operator.js';
import { answer, misused } from '../outcome.js';
import { withService } from '../with-service.js';

interface Options extends KeyOptions {
  readonly name?: string;
  readonly workspace?: string;
}

export const keysUpdate = (keys: Command) =>
  withKeyOptions(
    keys
      .command('update')
      .description('change what an API key is called and may do; its secret stays')
      .argument('<id>')
      .option('--name <name>', 'what it is for', readName),
  )
    .option('--workspace <name>', 'id or name; default: the only one')
    .action(act(update));

async function update(id: string, { name, workspace: wanted, ...options }: Options) {
  const named = readScopes(options, false);
  if (!named.ok) return named;
  if (named.value?.length === 0) return misused('A key without a scope is of no use: revoke it instead.');
  const readable = readPolicy(options, () => new Date(0));
  if (!readable.ok) return readable;
  const changesPolicy = options.profile !== undefined || Object.keys(readable.value).length > 0;
  if (name === undefined && named.value === null && !changesPolicy) {
    return misused('Say what to change; see `switchboard keys update --help`.');
  }
  return withService(async (desk) => {
    const workspace = await findWorkspace(desk, wanted);
    if (!workspace.ok) return workspace;
    const call = operatorCall(desk, workspace.value.id);
    const before = await getKey(desk.service.ports, call, { id });
    if (!before.ok) return before;
    const isBound = bindsToProfiles(options) ?? before.value.policy.profileIds !== null;
    const scopes = readScopes(options, isBound);
    if (!scopes.ok) return scopes;
    const isNewlyRefunding =
      scopes.value?.includes('refunds:write') && !before.value.scopes.includes('refunds:write');
    if (isNewlyRefunding && !options.refundLimit && !before.value.policy.refundCeilings)
      return needsRefundLimit();
    const policy = readPolicy(options, afterDays(desk));
    if (!policy.ok) return policy;
    const profileIds = await findBoundProfiles(desk, workspace.value.id, options);
    if (!profileIds.ok) return profileIds;
    const wantedPolicy = { ...policy.value, profileIds: profileIds.value };
    const changes = { id, name, scopes: scopes.value ?? undefined, policy: wantedPolicy };
    const updated = await atomically(
      desk,
      call,
      'updateKey',
      (ports) => updateKey(ports, call, changes),
      (key) => key.id,
    );
    if (!updated.ok) return updated;
    reportLeftOutScopes(options, isBound);
    return answer(presentKey(updated.value), `Changed ${updated.value.name} (${updated.value.id}).`);
  });
}
