export { createHttpApp } from './http/http-app.js';
export {
  createToolFilter,
  narrowToolFilter,
  type ToolFilter,
  type ToolFilterInput,
} from './tools/tool-filter.js';
export { drain, listen } from './http/listen.js';
export { createMcpServer, type ServerFactory, type McpService } from './protocol/server.js';
export { describeTools, type ToolDocument } from './tools/tools-document.js';
