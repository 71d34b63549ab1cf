import { fileURLToPath } from 'node:url';

const file = (name: string) => fileURLToPath(new URL(`../../../../${name}`, import.meta.url));

/** The programs that the tests start, as `pnpm start` and MCP clients start them. */
export const programs = {
  rest: file('apps/rest/dist/bundle/main.js'),
  mcpHttp: file('apps/mcp/dist/bundle/http.js'),
  cli: file('packages/cli/dist/bundle/main.js'),
  mcpStdio: file('apps/mcp/bin/switchboard-mcp.mjs'),
};
