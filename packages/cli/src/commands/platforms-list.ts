import { listPlatforms } from '@switchboard/domain/platforms';
import type { Command } from 'commander';
import { toAction } from '../to-action.js';
import { presentResult } from '../present-result.js';
import { commandOutput } from '../command-result.js';
import { table } from '../table.js';
import { resolvePlatformScope, type PlatformOwnerOptions } from '../resolve-platform-scope.js';
import { withService } from '../with-service.js';

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
