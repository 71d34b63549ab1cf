import type { Caller } from './bind.js';
import { protocolServer, type ProtocolServer } from './protocol-server.js';
import { serviceAnswers, type Serving } from './service-answers.js';

export type { Serving } from './service-answers.js';

/** Makes the server that answers one request. */
export type ServerFor = (caller: Caller, requestId: string) => ProtocolServer;

/** An MCP server for one caller, over a service that is there. */
export const createMcpServer = (serving: Serving, caller: Caller, requestId?: string): ProtocolServer =>
  protocolServer(
    { version: serving.config.version, narrowing: caller.narrowing },
    serviceAnswers(serving, caller, requestId),
  );
