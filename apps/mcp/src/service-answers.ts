import type { Service } from '@switchboard/bootstrap';
import { identify } from '@switchboard/domain';
import { catalogue } from '@switchboard/operations';
import type { Answers } from './answers.js';
import { callTool, type Caller } from './bind.js';
import { shownTools } from './narrowing.js';
import { ProtocolError } from './protocol-error.js';
import { toolsOf } from './tool.js';

/** What this app needs of the service. */
export type Serving = Pick<Service, 'config' | 'ports' | 'dispatch' | 'observer' | 'ready'>;

const tools = toolsOf(catalogue);
const byName = new Map(tools.map((bound) => [bound.tool.name, bound]));

/** What one caller is answered. Cheap: everything about the tools was derived at start-up, so HTTP makes these for each request. */
export function serviceAnswers(
  { ports, dispatch, observer }: Serving,
  caller: Caller,
  requestId?: string,
): Answers {
  const nextId = () => requestId ?? ports.ids.next('req');

  /** A fault of ours is told as one, with the name under which our log has it. */
  async function guarded<Found>(id: string, find: () => Promise<Found>): Promise<Found> {
    try {
      return await find();
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      observer.threw(error, id);
      throw new ProtocolError(
        'internal',
        `Something went wrong on our side. The request id ${id} names it in our log.`,
        { request_id: id },
      );
    }
  }

  return {
    listTools: () =>
      guarded(nextId(), async () => {
        const { result } = await identify(ports, caller);
        if (!result.ok) throw new ProtocolError('invalid_request', result.failure.message);
        return shownTools(tools, result.value.scopes, caller.narrowing);
      }),

    callTool(name, given, { signal }) {
      const id = nextId();
      return guarded(id, async () => {
        const bound = byName.get(name);
        if (!bound) {
          const why = 'There is no such tool. tools/list names those there are.';
          throw new ProtocolError('invalid_params', why);
        }
        return callTool(dispatch, tools, bound, given, caller, { requestId: id, signal });
      });
    },
  };
}
