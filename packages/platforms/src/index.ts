export { catalog } from './catalog.js';
export { definePlatform } from './kit/define-platform.js';
export { platformRegistry } from './kit/registry.js';
export { reportAdapterErrors } from './kit/report-adapter-errors.js';
