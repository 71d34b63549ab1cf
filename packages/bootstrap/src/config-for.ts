import { catalog } from '@switchboard/platforms';
import type { Config } from './config.js';
import { readConfig } from './env.js';
import type { App } from './start-service.js';

/** The configuration as an app reads it. A command line says what it has to say itself: it logs only when it is told to. */
export const configFor = (app: App, env?: NodeJS.ProcessEnv): Config =>
  readConfig(
    env,
    catalog.map(({ manifest }) => manifest.id),
    app === 'cli' ? { LOG_LEVEL: 'silent' } : {},
  );
