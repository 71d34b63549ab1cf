export { createHttpApp } from './http/http-app.js';
export { createToolFilter } from './tools/tool-filter.js';
export { listen } from './http/listen.js';
export { createMcpServer } from './protocol/server.js';
export { serveStdio } from './stdio/serve-stdio.js';
