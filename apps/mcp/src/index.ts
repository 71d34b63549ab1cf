export { createHttpApp } from './http-app.js';
export { createToolFilter, narrowToolFilter, type ToolFilter, type ToolFilterInput } from './tool-filter.js';
export { drain, listen } from './listen.js';
export { createMcpServer, type ServerFactory, type McpService } from './server.js';
export { describeTools, type ToolDocument } from './tools-document.js';
