import { ok } from '@switchboard/domain';
import { deletePlatformApp, updatePlatformApp } from '@switchboard/domain/platforms';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { promptSecret } from '../prompt-secret.js';
import { findProfile } from '../find-profile.js';
import { findWorkspace } from '../find-workspace.js';
import { findInputProblem, presentResult } from '../present-result.js';
import { operatorCall } from '../operator.js';
import { commandOutput, usageError } from '../command-result.js';
import { withService } from '../with-service.js';

interface Options {
  readonly clientId?: string;
  readonly clientSecretFile?: string;
  readonly remove?: boolean;
  readonly workspace?: string;
  readonly profile?: string;
}

export const platformsConfigure = (platforms: Command) =>
  platforms
    .command('configure')
    .description('set the OAuth app of a workspace or profile')
    .argument('<id>', 'see `platforms list`')
    .option('--client-id <id>', 'client id from the platform; the secret is prompted for, or read from stdin')
    .option('--client-secret-file <path>', 'file with the client secret')
    .option('--remove', 'remove the app; the workspace’s or operator’s app is used instead')
    .option('--workspace <name>', 'id or name; default: the only one')
    .option('--profile <name>', 'id, name or external id; default: the whole workspace')
    .action(toAction(configure));

async function configure(id: string, { clientId, clientSecretFile, remove, ...ownerOptions }: Options) {
  const wrong = remove ? clientId !== undefined || clientSecretFile !== undefined : clientId === undefined;
  if (wrong) return usageError('Specify --client-id, or only --remove.');
  return withService(async (context) => {
    const workspace = await findWorkspace(context, ownerOptions.workspace);
    if (!workspace.ok) return workspace;
    const profile =
      ownerOptions.profile === undefined
        ? ok(undefined)
        : await findProfile(context, workspace.value.id, ownerOptions.profile);
    if (!profile.ok) return profile;
    const profileId = profile.value?.id;
    const owner = profile.value ? `the profile ${profile.value.name}` : workspace.value.name;
    const { ports } = context.service;
    const call = operatorCall(context, workspace.value.id);

    if (clientId === undefined) {
      const removed = await ports.transactions.run((tx) =>
        deletePlatformApp({ ...ports, ...tx }, call, { id, profileId }),
      );
      if (!removed.ok) return removed;
      return commandOutput({ id, removed: true }, `Removed the app of ${owner} at ${id}.`);
    }
    const secret = await promptSecret(
      `Client secret of ${clientId} (not shown): `,
      clientSecretFile,
      context.signal,
    );
    if (!secret.ok) return secret;
    const app = { id, clientId: clientId.trim(), clientSecret: secret.value.reveal(), profileId };
    const refused = findInputProblem('updatePlatformApp', {
      id,
      client_id: app.clientId,
      client_secret: app.clientSecret,
      ...(profileId !== undefined && { profile_id: profileId }),
    });
    if (refused) return refused;
    const updated = await updatePlatformApp(ports, call, app);
    if (!updated.ok) return updated;
    const { json } = presentResult(context, call, 'updatePlatformApp', updated.value);
    return commandOutput({ id, ...json }, `New connections of ${owner} at ${id} use ${app.clientId}.`);
  });
}
