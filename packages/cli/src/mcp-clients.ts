import type { McpAddress, McpProgram } from '@switchboard/bootstrap';

export interface McpClient {
  readonly name: string;
  /** Where it reads its configuration from. */
  readonly file: string;
  /** The file lies in a project, beside what others share. */
  readonly shared: boolean;
  readonly overStdio: (program: McpProgram) => object;
  /** Absent where the file cannot name a server by its address and send a header with it. */
  readonly overHttp?: (address: McpAddress) => object;
}

const mcpServers = (switchboard: object) => ({ mcpServers: { switchboard } });
const servers = (switchboard: object) => ({ servers: { switchboard } });

/** Each client's own format, as its documentation had it on 2026-11-22. */
export const mcpClients: Readonly<Record<string, McpClient>> = {
  // modelcontextprotocol.io/docs/develop/connect-local-servers. Its file starts programs; servers that are elsewhere are
  // "connectors", which log in by OAuth: support.claude.com/en/articles/11503834.
  'claude-desktop': {
    name: 'Claude Desktop',
    file: 'claude_desktop_config.json (Settings, Developer, Edit Config)',
    shared: false,
    overStdio: mcpServers,
  },
  // code.claude.com/docs/en/mcp
  'claude-code': {
    name: 'Claude Code',
    file: '.mcp.json of your project',
    shared: true,
    overStdio: (program) => mcpServers({ type: 'stdio', ...program }),
    overHttp: (address) => mcpServers({ type: 'http', ...address }),
  },
  // cursor.com/docs/mcp
  cursor: {
    name: 'Cursor',
    file: '~/.cursor/mcp.json, or .cursor/mcp.json of your project',
    shared: true,
    overStdio: mcpServers,
    overHttp: mcpServers,
  },
  // code.visualstudio.com/docs/copilot/reference/mcp-configuration
  vscode: {
    name: 'VS Code',
    file: '.vscode/mcp.json of your project',
    shared: true,
    overStdio: (program) => servers({ type: 'stdio', ...program }),
    overHttp: (address) => servers({ type: 'http', ...address }),
  },
};
