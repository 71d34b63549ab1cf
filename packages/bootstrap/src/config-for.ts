import { catalog } from '@switchboard/platforms';
import type { Config } from './config.js';
import { readConfig } from './env.js';
import type { App } from './start-service.js';

/** The configuration of an app. The command line prints its own messages, so it logs only on request. */
export const configFor = (app: App, env?: NodeJS.ProcessEnv): Config =>
  readConfig(
    env,
    catalog.map(({ manifest }) => manifest.id),
    app === 'cli' ? { LOG_LEVEL: 'silent' } : {},
  );
