export { createHttpApp } from './http-app.js';
export { choose, narrow, type Narrowing, type Wish } from './narrowing.js';
export { drain, listen } from './listen.js';
export { createMcpServer, type ServerFor, type Serving } from './server.js';
export { describeTools, type ToolDocument } from './tools-document.js';
