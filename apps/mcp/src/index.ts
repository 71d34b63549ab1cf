export { createHttpApp } from './http/http-app.js';
export { createToolFilter } from './tools/tool-filter.js';
export { drain, listen } from './http/listen.js';
export { createMcpServer } from './protocol/server.js';
