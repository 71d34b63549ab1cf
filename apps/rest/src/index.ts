export { serveRest, type RestServer } from './serve-rest.js';
