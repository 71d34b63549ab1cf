import { createKey } from '@switchboard/domain';
import { presentNewKey } from '@switchboard/operations';
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
import { tell } from '../tell.js';
import { withService } from '../with-service.js';

interface Options extends KeyOptions {
  readonly name: string;
  readonly workspace?: string;
}

export const keysCreate = (keys: Command) =>
  withKeyOptions(
    keys
      .command('create')
      .description('make an API key; it is shown once')
      .requiredOption('--name <name>', 'what it is for', readName),
  )
    .option('--workspace <name>', 'id or name; default: the only one')
    .action(act(create));

async function create({ name, workspace: wanted, ...options }: Options) {
  const isBound = bindsToProfiles(options) ?? false;
  const scopes = readScopes(options, isBound);
  if (!scopes.ok) return scopes;
  if (!scopes.value?.length) {
    return misused('Say what the key may do: --preset agent|reader|full, or --scopes.');
  }
  const held = scopes.value;
  if (held.includes('refunds:write') && !options.refundLimit) return needsRefundLimit();
  // What is wrong with it is told before anything is opened.
  const readable = readPolicy(options, () => new Date(0));
  if (!readable.ok) return readable;
  return withService(async (desk) => {
    const workspace = await findWorkspace(desk, wanted);
    if (!workspace.ok) return workspace;
    const policy = readPolicy(options, afterDays(desk));
    if (!policy.ok) return policy;
    const profileIds = await findBoundProfiles(desk, workspace.value.id, options);
    if (!profileIds.ok) return profileIds;
    const call = operatorCall(desk, workspace.value.id);
    const wantedPolicy = { ...policy.value, profileIds: profileIds.value };
    const created = await atomically(
      desk,
      call,
      'createKey',
      (ports) => createKey(ports, call, { name, scopes: held, policy: wantedPolicy }),
      ({ key }) => key.id,
    );
    if (!created.ok) return created;
    const { key, token } = created.value;
    reportLeftOutScopes(options, isBound);
    tell(`Created ${key.name} (${key.id}). The key is shown this once:`);
    return answer(presentNewKey(created.value), token.reveal());
  });
}
