export type { Config } from './config.js';
export { ConfigurationError } from './configuration-error.js';
export { readConfig, root } from './env.js';
export { mcpClientConfig } from './mcp-client-config.js';
export { hasKeyFiles, keyFiles } from './first-start.js';
export { scrub } from './log.js';
export type { Readiness, Service } from './service.js';
export { welcome } from './welcome.js';
export { startService, type App, type StartOptions } from './start-service.js';
