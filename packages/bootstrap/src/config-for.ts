import { findClosestName } from '@switchboard/domain';
import type { Config } from './config.js';
import { readConfig, readVariables } from './env.js';
import { environment, platformVariablesOf } from './environment.js';
import { listAllPlatforms } from './installed-platforms.js';
import { withRunningAddresses } from './process-records.js';
import type { App } from './start-service.js';

/** These are started from any environment, and address the processes that run already. */
const CLIENT_APPS: readonly App[] = ['cli', 'mcp-stdio'];

/** The configuration of an app. The command line prints its own messages, so it logs only on request. */
export function configFor(app: App, env?: NodeJS.ProcessEnv): Config {
  const config = readConfig(
    env,
    listAllPlatforms({ externalPlatforms: readExternalPlatforms(env) }).map(({ manifest }) => manifest.id),
    app === 'cli' ? { LOG_LEVEL: 'silent' } : {},
  );
  return CLIENT_APPS.includes(app) ? withRunningAddresses(config) : config;
}

/** Known before the other variables: those of a platform are named after it. */
const readExternalPlatforms = (env?: NodeJS.ProcessEnv) =>
  environment.shape.SWITCHBOARD_PLATFORMS.parse(readVariables(env)['SWITCHBOARD_PLATFORMS']);

/** One sentence for each `SWITCHBOARD_*` variable that has no meaning, with the closest known name. */
export function describeUnknownVariables(env?: NodeJS.ProcessEnv): readonly string[] {
  const known = [
    ...Object.keys(environment.shape),
    ...listAllPlatforms({ externalPlatforms: readExternalPlatforms(env) }).flatMap(({ manifest }) =>
      platformVariablesOf(manifest),
    ),
  ];
  return Object.keys(readVariables(env))
    .filter((name) => name.startsWith('SWITCHBOARD_') && !known.includes(name))
    .map((name) => {
      const closest = findClosestName(name, known);
      return `${name} has no effect: it is not a variable of Switchboard${closest === null ? '' : `. Did you mean ${closest}?`}`;
    });
}
