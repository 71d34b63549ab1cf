export { catalog } from './catalog.js';
