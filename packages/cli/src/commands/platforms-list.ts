import { listPlatforms } from '@switchboard/domain';
import type { Command } from 'commander';
import { act } from '../act.js';
import { shown } from '../operation.js';
import { answer } from '../outcome.js';
import { table } from '../table.js';
import { whosePlatforms, type Whose } from '../whose-platforms.js';
import { withService } from '../with-service.js';

export const platformsList = (platforms: Command) =>
  platforms
    .command('list')
    .description('list the platforms, and what each still needs')
    .option('--workspace <name>', 'id or name, whose own apps count; default: the only one')
    .option('--profile <name>', 'id, name or external id, whose own apps count')
    .action(
      act((whose: Whose) =>
        withService(async (desk) => {
          const place = await whosePlatforms(desk, whose);
          if (!place.ok) return place;
          const { call, profileId } = place.value;
          const listed = await listPlatforms(desk.service.ports, call, { profileId });
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
          return answer(
            shown(desk, call, 'listPlatforms', listed.value).json,
            table(['id', 'name', 'kind', 'abilities', 'state'], rows, 'There is no platform.'),
          );
        }),
      ),
    );
