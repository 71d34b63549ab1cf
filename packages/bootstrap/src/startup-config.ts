/**
 * Available before the service is open: the configuration, without that of platforms. It loads nothing heavy.
 */
export type { Config } from './config.js';
export { ConfigurationError } from './configuration-error.js';
export { readConfig } from './env.js';
