import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type CallToolRequest,
  type Tool as SdkTool,
} from '@modelcontextprotocol/sdk/types.js';
import { instructionsFor } from './instructions.js';
import type { Narrowing } from './narrowing.js';
import type { ToolResult } from './tool-result.js';
import type { Tool } from './tool.js';

/** What the protocol asks of us. */
export interface Answers {
  list(): Promise<readonly Tool[]>;
  call(params: CallToolRequest['params'], signal: AbortSignal): Promise<ToolResult>;
}

/** The protocol around the answers; it introduces itself without asking for any. */
export function protocolServer(
  { version, narrowing }: { readonly version: string; readonly narrowing: Narrowing },
  answers: Answers,
): Server {
  const server = new Server(
    { name: 'switchboard', title: 'Switchboard', version },
    { capabilities: { tools: {} }, instructions: instructionsFor(narrowing) },
  );
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: (await answers.list()).map((tool) => tool as SdkTool),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => ({
    ...(await answers.call(params, signal)),
  }));
  return server;
}
