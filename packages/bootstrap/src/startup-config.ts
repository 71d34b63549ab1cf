/** What can be known before the service is there: the configuration, without those of platforms. It loads nothing heavy. */
export type { Config } from './config.js';
export { ConfigurationError } from './configuration-error.js';
export { readConfig } from './env.js';
