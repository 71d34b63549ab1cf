import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type CallToolRequest,
  type Tool as SdkTool,
} from '@modelcontextprotocol/sdk/types.js';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { instructionsFor } from './instructions.js';
import type { Narrowing } from './narrowing.js';
import type { ToolResult } from './tool-result.js';
import type { Tool } from './tool.js';

/** One for all: a server makes one of its own when it is given none, which takes longer than most calls. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

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
    { capabilities: { tools: {} }, instructions: instructionsFor(narrowing), jsonSchemaValidator },
  );
  server.setRequestHandler(ListToolsRequestSchema, async () => ({
    tools: (await answers.list()).map((tool) => tool as SdkTool),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => ({
    ...(await answers.call(params, signal)),
  }));
  return server;
}
