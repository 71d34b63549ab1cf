import type { Caller } from './call-tool.js';
import { protocolServer, type ProtocolServer } from './protocol-server.js';
import { createServiceHandlers, type McpService } from './create-service-handlers.js';

export type { McpService } from './create-service-handlers.js';

/** Makes the server that answers one request. */
export type ServerFactory = (caller: Caller, requestId: string) => ProtocolServer;

/** An MCP server for one caller, over a service that is there. */
export const createMcpServer = (mcpService: McpService, caller: Caller, requestId?: string): ProtocolServer =>
  protocolServer(
    { version: mcpService.config.version, toolFilter: caller.toolFilter },
    createServiceHandlers(mcpService, caller, requestId),
  );
