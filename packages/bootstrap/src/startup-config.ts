/**
 * The configuration that is available before the service is open, without that of platforms. Reading it loads
 * no large module.
 */
export type { Config } from './config.js';
export { ConfigurationError } from './configuration-error.js';
export { readConfig } from './env.js';
