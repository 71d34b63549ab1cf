import type { Caller } from '../tools/call-tool.js';
import { modernServer, type ModernServer } from './modern-server.js';
import { protocolServer, type ProtocolServer } from './protocol-server.js';
import { createServiceHandlers, derivedTools, type McpService } from './create-service-handlers.js';

export type { McpService } from './create-service-handlers.js';

/** An MCP server for one caller, over an open service, in the revisions up to 2025-11-25. */
export const createMcpServer = (mcpService: McpService, caller: Caller, requestId?: string): ProtocolServer =>
  protocolServer(identityFor(mcpService, caller), createServiceHandlers(mcpService, caller, requestId));

/** The same for one request in revision 2026-07-28. */
const createModernServer = (mcpService: McpService, caller: Caller, requestId: string): ModernServer =>
  modernServer(identityFor(mcpService, caller), createServiceHandlers(mcpService, caller, requestId));

export function serverFactories(mcpService: McpService) {
  // At the start, so that the first request does not wait for it.
  derivedTools(mcpService.config);
  return {
    legacy: (caller: Caller, requestId: string): ProtocolServer =>
      createMcpServer(mcpService, caller, requestId),
    modern: (caller: Caller, requestId: string): ModernServer =>
      createModernServer(mcpService, caller, requestId),
  };
}

/** Creates the server that handles one request, by the kind of its revision. */
export type ServerFactories = ReturnType<typeof serverFactories>;

const identityFor = ({ config }: McpService, { toolFilter }: Caller) => ({
  version: config.version,
  toolFilter,
});
