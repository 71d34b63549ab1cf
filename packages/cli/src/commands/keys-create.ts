import { createKey } from '@switchboard/domain/access';
import { presentNewKey } from '@switchboard/operations';
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
import { printNotice } from '../print-notice.js';
import { withService } from '../with-service.js';

interface Options extends KeyOptions {
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

async function create({ name, workspace: workspaceRef, ...options }: Options) {
  const isBound = bindsToProfiles(options) ?? false;
  const scopes = readScopes(options, isBound);
  if (!scopes.ok) return scopes;
  if (!scopes.value?.length) {
    return usageError('Specify the scopes: --preset agent|reader|full, or --scopes.');
  }
  const requestedScopes = scopes.value;
  if (requestedScopes.includes('refunds:write') && !options.refundLimit) return needsRefundLimit();
  // An invalid policy is reported before anything is opened.
  const policyCheck = readPolicy(options, () => new Date(0));
  if (!policyCheck.ok) return policyCheck;
  return withService(async (context) => {
    const workspace = await findWorkspace(context, workspaceRef);
    if (!workspace.ok) return workspace;
    const policy = readPolicy(options, afterDays(context));
    if (!policy.ok) return policy;
    const profileIds = await findBoundProfiles(context, workspace.value.id, options);
    if (!profileIds.ok) return profileIds;
    const call = operatorCall(context, workspace.value.id);
    const wantedPolicy = { ...policy.value, profileIds: profileIds.value };
    const created = await runAtomically(
      context,
      call,
      'createKey',
      (ports) => createKey(ports, call, { name, scopes: requestedScopes, policy: wantedPolicy }),
      ({ key }) => key.id,
    );
    if (!created.ok) return created;
    const { key, token } = created.value;
    reportLeftOutScopes(options, isBound);
    printNotice(`Created ${key.name} (${key.id}). The key is shown only once:`);
    return commandOutput(presentNewKey(created.value), token.reveal());
  });
}
