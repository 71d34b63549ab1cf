import type { McpAddress, McpProgram } from '@switchboard/bootstrap';

export interface McpClient {
  readonly name: string;
  /** The file from which it reads its configuration. */
  readonly file: string;
  /** The file is part of a project, and may be shared. */
  readonly shared: boolean;
  readonly overStdio: (program: McpProgram) => object;
  /** Absent when the file cannot configure a server by its URL with a header. */
  readonly overHttp?: (address: McpAddress) => object;
}

const mcpServers = (switchboard: object) => ({ mcpServers: { switchboard } });
const servers = (switchboard: object) => ({ servers: { switchboard } });

/** The configuration format of each client, as documented on 2026-11-22. */
export const mcpClients: Readonly<Record<string, McpClient>> = {
  // modelcontextprotocol.io/docs/develop/connect-local-servers. The file starts programs; remote servers are
  // "connectors", which use OAuth: support.claude.com/en/articles/11503834.
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
