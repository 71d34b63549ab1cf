import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

// The minimal MCP server: one tool without an implementation.
const server = new Server({ name: 'bare', version: '1' }, { capabilities: { tools: {} } });
server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [{ name: 'nothing', inputSchema: { type: 'object' } }],
}));
process.stdin.once('end', () => process.exit(0));
await server.connect(new StdioServerTransport());
