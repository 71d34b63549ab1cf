import type { Caller } from '../tools/call-tool.js';
import { protocolServer, type ProtocolServer } from './protocol-server.js';
import { createServiceHandlers, type McpService } from './create-service-handlers.js';

export type { McpService } from './create-service-handlers.js';

/** Creates the server that handles one request. */
export type ServerFactory = (caller: Caller, requestId: string) => ProtocolServer;

/** An MCP server for one caller, over an open service. */
export const createMcpServer = (mcpService: McpService, caller: Caller, requestId?: string): ProtocolServer =>
  protocolServer(
    { version: mcpService.config.version, toolFilter: caller.toolFilter },
    createServiceHandlers(mcpService, caller, requestId),
  );
