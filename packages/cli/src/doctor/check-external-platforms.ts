import { loadExternalPlatforms, type Config, type DatabaseFacts } from '@switchboard/bootstrap';
import { failedCheck, warnedCheck, type Check } from './check.js';

const kinds = { threw: 'threw', timed_out: 'did not return in time', malformed: 'returned malformed data' };

/** What is wrong with external platforms: why one is left out, and its faults in the running processes. */
export function checkExternalPlatforms(
  { externalPlatforms }: Config,
  faults: DatabaseFacts['adapterFaults'] = [],
): readonly Check[] {
  return [
    ...loadExternalPlatforms(externalPlatforms).rejected.map(({ name, reason }) =>
      failedCheck(name, `left out: ${reason}`, 'Correct the adapter, or SWITCHBOARD_PLATFORMS, and restart.'),
    ),
    ...faults.map(({ platform, method, kind, message, count, lastAt }) =>
      warnedCheck(
        platform,
        `${method} ${kinds[kind]}, ${count === 1 ? 'once' : `${count} times`}, last at ${lastAt}: ${message}`,
        'Report it to the author of the adapter. Other platforms are not affected.',
      ),
    ),
  ];
}
