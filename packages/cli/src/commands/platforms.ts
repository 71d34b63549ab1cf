import {
  listPlatforms,
  getPlatform,
  getPlatformApp,
  appPlatformOf,
  type PlatformAppView,
  deletePlatformApp,
  updatePlatformApp,
} from '@switchboard/domain/platforms';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { presentResult, findInputProblem } from '../present-result.js';
import { commandOutput, usageError } from '../command-result.js';
import { table } from '../table.js';
import { resolvePlatformScope, type PlatformOwnerOptions } from '../resolve-platform-scope.js';
import { withService } from '../with-service.js';
import { listRequestedPermissions, registeredRedirectUri } from '@switchboard/domain/connections';
import { ok } from '@switchboard/domain';
import { promptSecret } from '../prompt-secret.js';
import { findProfile } from '../find-profile.js';
import { withWorkspace } from '../find-workspace.js';

export const platformsList = (platforms: Command) =>
  platforms
    .command('list')
    .description('list the platforms and their missing configuration')
    .option(
      '--workspace <name>',
      'id or name of the workspace whose apps are considered; default: the only one',
    )
    .option('--profile <name>', 'id, name or external id of the profile whose apps are considered')
    .action(
      toAction((ownerOptions: PlatformOwnerOptions) =>
        withService(async (context) => {
          const scope = await resolvePlatformScope(context, ownerOptions);
          if (!scope.ok) return scope;
          const { call, profileId } = scope.value;
          const listed = await listPlatforms(context.service.ports, call, { profileId });
          if (!listed.ok) return listed;
          const rows = listed.value.map(({ manifest: { id, name, kind }, abilities, missing }) => [
            id,
            name,
            kind,
            Object.entries(abilities)
              .flatMap(([ability, able]) => (able ? [ability] : []))
              .join(','),
            missing.length === 0 ? 'ready' : `needs ${missing.join(' ')}`,
          ]);
          return commandOutput(
            presentResult(context, call, 'listPlatforms', listed.value).json,
            table(['id', 'name', 'kind', 'abilities', 'state'], rows, 'No platforms.'),
          );
        }),
      ),
    );

export const platformsSetup = (platforms: Command) =>
  platforms
    .command('setup')
    .description('show what to register at a platform, the redirect URI, and the current configuration')
    .argument('<id>', 'see `platforms list`')
    .option('--workspace <name>', 'id or name; default: the only one')
    .option('--profile <name>', 'id, name or external id')
    .action(
      toAction((id: string, ownerOptions: PlatformOwnerOptions) =>
        withService(async (context) => {
          const { ports } = context.service;
          const scope = await resolvePlatformScope(context, ownerOptions);
          if (!scope.ok) return scope;
          const { call, workspace, profileId } = scope.value;
          const found = await getPlatform(ports, call, { id, profileId });
          if (!found.ok) return found;
          const serving = await getPlatformApp(ports, call, { id, profileId });
          const app = serving.ok ? serving.value : null;
          const { manifest, missing } = found.value;
          const redirectUri = registeredRedirectUri(manifest, context.service.config.publicUrl);
          const permissions = listRequestedPermissions(manifest);
          const elsewhere = manifest.connect.filter(
            (connectMethod) => appPlatformOf(manifest, connectMethod) !== id,
          );
          const needsApp = manifest.connect.some((connectMethod) => connectMethod.needsApp);
          const lines = [
            manifest.name,
            `console       ${manifest.setup.consoleUrl ?? 'none (no registration needed)'}`,
            ...(redirectUri === null ? [] : [`redirect URI  ${redirectUri}`]),
            `permissions   ${permissions.join(' ') || 'none'}`,
            `review        ${manifest.setup.reviewNeeded ? 'the platform must review your app first' : 'not needed'}`,
            ...(needsApp ? [`app           ${appText(app, workspace)}`] : []),
            ...elsewhere.map(
              (connectMethod) =>
                `another app   that of ${appPlatformOf(manifest, connectMethod)}, for “${connectMethod.label}”, with this redirect URI`,
            ),
            `environment   ${environmentText(id, missing, needsApp ? app !== null : null)}`,
            ...manifest.setup.pitfalls.map((pitfall) => `note          ${pitfall}`),
            `documentation ${manifest.docsUrl}`,
          ];
          const { setup } = presentResult(context, call, 'getPlatform', found.value).json as {
            readonly setup: object;
          };
          return commandOutput(
            {
              id,
              ...setup,
              missing,
              docs_url: manifest.docsUrl,
              workspace,
              app: app && { client_id: app.clientId, source: app.source },
            },
            lines.join('\n'),
          );
        }),
      ),
    );

function appText(app: PlatformAppView | null, workspace: string | null): string {
  const where = workspace === null ? '' : ` (${workspace})`;
  if (!app) return `none${where}: \`platforms configure\` sets an app of the workspace`;
  return {
    environment: `${app.clientId} (operator)`,
    workspace: `${app.clientId} (workspace)${where}`,
    profile: `${app.clientId} (profile)${where}`,
  }[app.source];
}

/**
 * `hasApp` is null when no connect method needs an app. When some methods need none, nothing is missing, and
 * an app is optional.
 */
function environmentText(id: string, missing: readonly string[], hasApp: boolean | null): string {
  if (missing.length > 0)
    return `set ${missing.join(' and ')} and restart, or configure an app for the workspace`;
  if (hasApp !== false) return hasApp ? 'complete' : 'nothing to set';
  const name = `SWITCHBOARD_${id.toUpperCase()}`;
  return `nothing to set; ${name}_CLIENT_ID and ${name}_CLIENT_SECRET enable OAuth instead`;
}

interface ConfigureOptions {
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

async function configure(
  id: string,
  { clientId, clientSecretFile, remove, ...ownerOptions }: ConfigureOptions,
) {
  const wrong = remove ? clientId !== undefined || clientSecretFile !== undefined : clientId === undefined;
  if (wrong) return usageError('Specify --client-id, or only --remove.');
  return withWorkspace(ownerOptions.workspace, async (context, workspace, call) => {
    const profile =
      ownerOptions.profile === undefined
        ? ok(undefined)
        : await findProfile(context, workspace.id, ownerOptions.profile);
    if (!profile.ok) return profile;
    const profileId = profile.value?.id;
    const owner = profile.value ? `the profile ${profile.value.name}` : workspace.name;
    const { ports } = context.service;

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
