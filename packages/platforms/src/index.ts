export { catalogue } from './catalogue.js';
export { definePlatform } from './kit/define-platform.js';
export { platformRegistry, type PlatformRegistry, type RegistryOptions } from './kit/registry.js';
export { telling } from './kit/telling.js';
