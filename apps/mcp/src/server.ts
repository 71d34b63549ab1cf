import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type Tool as SdkTool,
} from '@modelcontextprotocol/sdk/types.js';
import type { Service } from '@switchboard/bootstrap';
import { identify } from '@switchboard/domain';
import { catalogue } from '@switchboard/operations';
import { callTool, type Caller } from './bind.js';
import { instructionsFor } from './instructions.js';
import { holds, outOfReach } from './narrowing.js';
import { toolsOf } from './tool.js';

/** What this app needs of the service. */
export type Serving = Pick<Service, 'config' | 'ports' | 'dispatch' | 'observer' | 'ready'>;

const tools = toolsOf(catalogue);
const byName = new Map(tools.map((bound) => [bound.tool.name, bound]));

/** An MCP server for one caller. Cheap: everything about the tools was derived at start-up, so HTTP makes one per request. */
export function createMcpServer(
  { config, ports, dispatch, observer }: Serving,
  caller: Caller,
  requestId?: string,
): Server {
  const server = new Server(
    { name: 'switchboard', title: 'Switchboard', version: config.version },
    { capabilities: { tools: {} }, instructions: instructionsFor(caller.narrowing) },
  );

  server.setRequestHandler(ListToolsRequestSchema, async () => {
    const { result } = await identify(ports, caller.authorization);
    if (!result.ok) throw new McpError(ErrorCode.InvalidRequest, result.failure.message);
    const { scopes } = result.value;
    const shown = tools.filter(
      ({ operation }) => holds(operation, scopes) && outOfReach(operation, caller.narrowing) === null,
    );
    return { tools: shown.map(({ tool }) => tool as SdkTool) };
  });

  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const bound = byName.get(params.name);
    if (!bound)
      throw new McpError(ErrorCode.InvalidParams, 'There is no such tool. tools/list names those there are.');
    const id = requestId ?? ports.ids.next('req');
    try {
      return {
        ...(await callTool(dispatch, tools, bound, params.arguments ?? {}, caller, {
          requestId: id,
          signal,
        })),
      };
    } catch (error) {
      observer.threw(error, id);
      throw new McpError(
        ErrorCode.InternalError,
        `Something went wrong on our side. The request id ${id} names it in our log.`,
      );
    }
  });
  return server;
}
