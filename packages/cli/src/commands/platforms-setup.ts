import { listRequestedPermissions, registeredRedirectUri } from '@switchboard/domain/connections';
import {
  getPlatform,
  getPlatformApp,
  appPlatformOf,
  type PlatformAppView,
} from '@switchboard/domain/platforms';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { presentResult } from '../present-result.js';
import { commandOutput } from '../command-result.js';
import { resolvePlatformScope, type PlatformOwnerOptions } from '../resolve-platform-scope.js';
import { withService } from '../with-service.js';

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
