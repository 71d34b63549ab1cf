import { deletePlatformApp, ok, updatePlatformApp } from '@switchboard/domain';
import type { Command } from 'commander';
import { act } from '../act.js';
import { askSecret } from '../ask-secret.js';
import { findProfile } from '../find-profile.js';
import { findWorkspace } from '../find-workspace.js';
import { refusedInput, shown } from '../operation.js';
import { operatorCall } from '../operator.js';
import { answer, misused } from '../outcome.js';
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
    .description('set the OAuth app that a workspace, or a profile of it, connects accounts with')
    .argument('<id>', 'see `platforms list`')
    .option('--client-id <id>', 'as the platform tells it; the secret is asked for, or read from a pipe')
    .option('--client-secret-file <path>', 'where the secret is, instead of asking')
    .option('--remove', 'take the app away; what stands behind it serves from then on')
    .option('--workspace <name>', 'id or name; default: the only one')
    .option('--profile <name>', 'id, name or external id; default: the whole workspace')
    .action(act(configure));

async function configure(id: string, { clientId, clientSecretFile, remove, ...whose }: Options) {
  const wrong = remove ? clientId !== undefined || clientSecretFile !== undefined : clientId === undefined;
  if (wrong) return misused('Say --client-id, or --remove alone.');
  return withService(async (desk) => {
    const workspace = await findWorkspace(desk, whose.workspace);
    if (!workspace.ok) return workspace;
    const profile =
      whose.profile === undefined
        ? ok(undefined)
        : await findProfile(desk, workspace.value.id, whose.profile);
    if (!profile.ok) return profile;
    const profileId = profile.value?.id;
    const owner = profile.value ? `the profile ${profile.value.name}` : workspace.value.name;
    const { ports } = desk.service;
    const call = operatorCall(desk, workspace.value.id);

    if (clientId === undefined) {
      const removed = await ports.transactions.run((tx) =>
        deletePlatformApp({ ...ports, ...tx }, call, { id, profileId }),
      );
      if (!removed.ok) return removed;
      return answer({ id, removed: true }, `Took away the app of ${owner} at ${id}.`);
    }
    const secret = await askSecret(
      `Client secret of ${clientId} (not shown): `,
      clientSecretFile,
      desk.signal,
    );
    if (!secret.ok) return secret;
    const app = { id, clientId: clientId.trim(), clientSecret: secret.value.reveal(), profileId };
    const refused = refusedInput('updatePlatformApp', {
      id,
      client_id: app.clientId,
      client_secret: app.clientSecret,
      ...(profileId !== undefined && { profile_id: profileId }),
    });
    if (refused) return refused;
    const updated = await updatePlatformApp(ports, call, app);
    if (!updated.ok) return updated;
    const { json } = shown(desk, call, 'updatePlatformApp', updated.value);
    return answer(
      { id, ...json },
      `Accounts of ${owner} at ${id} are connected with ${app.clientId} from now on.`,
    );
  });
}
