import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { Caller } from './bind.js';
import { protocolServer } from './protocol-server.js';
import { toolAnswers, type Serving } from './tool-answers.js';

export type { Serving } from './tool-answers.js';

/** Makes the server that answers one request. */
export type ServerFor = (caller: Caller, requestId: string) => Server;

/** An MCP server for one caller, over a service that is there. */
export const createMcpServer = (serving: Serving, caller: Caller, requestId?: string): Server =>
  protocolServer(
    { version: serving.config.version, narrowing: caller.narrowing },
    toolAnswers(serving, caller, requestId),
  );
