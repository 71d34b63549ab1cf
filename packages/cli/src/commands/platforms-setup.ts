import {
  getPlatform,
  getPlatformApp,
  homeOf,
  permissionsAsked,
  registeredRedirectUri,
  type AppView,
} from '@switchboard/domain';
import type { Command } from 'commander';
import { act } from '../act.js';
import { shown } from '../operation.js';
import { answer } from '../outcome.js';
import { whosePlatforms, type Whose } from '../whose-platforms.js';
import { withService } from '../with-service.js';

export const platformsSetup = (platforms: Command) =>
  platforms
    .command('setup')
    .description('what to register at a platform, with which redirect URI, and what is set up')
    .argument('<id>', 'see `platforms list`')
    .option('--workspace <name>', 'id or name; default: the only one')
    .option('--profile <name>', 'id, name or external id')
    .action(
      act((id: string, whose: Whose) =>
        withService(async (desk) => {
          const { ports } = desk.service;
          const place = await whosePlatforms(desk, whose);
          if (!place.ok) return place;
          const { call, workspace, profileId } = place.value;
          const found = await getPlatform(ports, call, { id, profileId });
          if (!found.ok) return found;
          const serving = await getPlatformApp(ports, call, { id, profileId });
          const app = serving.ok ? serving.value : null;
          const { manifest, missing } = found.value;
          const redirectUri = registeredRedirectUri(manifest, desk.service.config.publicUrl);
          const permissions = permissionsAsked(manifest);
          const elsewhere = manifest.connect.filter((way) => homeOf(manifest, way) !== id);
          const needsApp = manifest.connect.some((way) => way.needsApp);
          const lines = [
            manifest.name,
            `console       ${manifest.setup.consoleUrl ?? 'none: there is nothing to register'}`,
            ...(redirectUri === null ? [] : [`redirect URI  ${redirectUri}`]),
            `permissions   ${permissions.join(' ') || 'none'}`,
            `review        ${manifest.setup.reviewNeeded ? 'the platform must review your app first' : 'not needed'}`,
            ...(needsApp ? [`app           ${appText(app, workspace)}`] : []),
            ...elsewhere.map(
              (way) =>
                `another app   that of ${homeOf(manifest, way)}, for “${way.label}”, with this redirect URI`,
            ),
            `environment   ${environmentText(id, missing, needsApp ? app !== null : null)}`,
            ...manifest.setup.pitfalls.map((pitfall) => `note          ${pitfall}`),
            `documentation ${manifest.docsUrl}`,
          ];
          const { setup } = shown(desk, call, 'getPlatform', found.value).json as { readonly setup: object };
          return answer(
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

function appText(app: AppView | null, workspace: string | null): string {
  const where = workspace === null ? '' : ` (${workspace})`;
  if (!app) return `none${where}: \`platforms configure\` sets one of a workspace’s own`;
  return {
    environment: `${app.clientId}, the operator’s`,
    workspace: `${app.clientId}, the workspace’s own${where}`,
    profile: `${app.clientId}, the profile’s own${where}`,
  }[app.source];
}

/** `hasApp` is null where no way needs one. Where some ways need none, nothing is missing, and one may be set up all the same. */
function environmentText(id: string, missing: readonly string[], hasApp: boolean | null): string {
  if (missing.length > 0)
    return `set ${missing.join(' and ')}, and restart; or give the workspace an app of its own`;
  if (hasApp !== false) return hasApp ? 'complete' : 'nothing to set';
  const name = `SWITCHBOARD_${id.toUpperCase()}`;
  return `nothing to set; ${name}_CLIENT_ID and ${name}_CLIENT_SECRET let owners of accounts agree at the platform instead`;
}
