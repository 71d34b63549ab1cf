import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { Service } from '@switchboard/bootstrap';
import { identify } from '@switchboard/domain';
import { catalogue } from '@switchboard/operations';
import { callTool, type Caller } from './bind.js';
import { shownTools } from './narrowing.js';
import type { Answers } from './protocol-server.js';
import { toolsOf } from './tool.js';

/** What this app needs of the service. */
export type Serving = Pick<Service, 'config' | 'ports' | 'dispatch' | 'observer' | 'ready'>;

const tools = toolsOf(catalogue);
const byName = new Map(tools.map((bound) => [bound.tool.name, bound]));

/** The tools as one caller sees them. Cheap: everything about them was derived at start-up, so HTTP makes these for each request. */
export const toolAnswers = (
  { ports, dispatch, observer }: Serving,
  caller: Caller,
  requestId?: string,
): Answers => ({
  async list() {
    const { result } = await identify(ports, caller);
    if (!result.ok) throw new McpError(ErrorCode.InvalidRequest, result.failure.message);
    return shownTools(tools, result.value.scopes, caller.narrowing);
  },

  async call(params, signal) {
    const bound = byName.get(params.name);
    if (!bound)
      throw new McpError(ErrorCode.InvalidParams, 'There is no such tool. tools/list names those there are.');
    const id = requestId ?? ports.ids.next('req');
    try {
      return await callTool(dispatch, tools, bound, params.arguments ?? {}, caller, {
        requestId: id,
        signal,
      });
    } catch (error) {
      observer.threw(error, id);
      throw new McpError(
        ErrorCode.InternalError,
        `Something went wrong on our side. The request id ${id} names it in our log.`,
      );
    }
  },
});
