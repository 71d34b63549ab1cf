import type { Service } from '@switchboard/bootstrap';
import { identify, ok } from '@switchboard/domain';
import { catalogue, nearest } from '@switchboard/operations';
import type { Answers, During } from './answers.js';
import { askDispatch, type Caller } from './ask-dispatch.js';
import { callTool } from './bind.js';
import { complete } from './completion.js';
import { shownTools } from './narrowing.js';
import { ProtocolError } from './protocol-error.js';
import type { Reader } from './reader.js';
import { listResources, readResource } from './resources.js';
import { toolsOf, type BoundTool, type Tool } from './tool.js';

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

  async function shown(): Promise<readonly Tool[]> {
    const { result } = await identify(ports, caller);
    if (!result.ok) throw new ProtocolError('invalid_request', result.failure.message);
    return shownTools(tools, result.value.scopes, caller.narrowing);
  }

  const shownNames = async () => (await shown()).map(({ name }) => name);

  /** Runs what reads through tools, under one request id. */
  const reading = <Found>(
    { signal }: During,
    find: (read: Reader, inReach: readonly string[]) => Promise<Found>,
  ): Promise<Found> => {
    const id = nextId();
    const read: Reader = (name, input) => {
      const { operation } = byName.get(name) as BoundTool;
      return askDispatch(dispatch, operation, caller, { requestId: id, input: ok(input), signal });
    };
    return guarded(id, async () => find(read, await shownNames()));
  };

  return {
    listTools: () => guarded(nextId(), shown),

    callTool(name, given, during) {
      const id = nextId();
      return guarded(id, async () => {
        const bound = byName.get(name);
        if (!bound) {
          const meant = nearest(name, await shownNames());
          const hint = meant === null ? '' : ` Did you mean ${meant}?`;
          const why = `There is no such tool.${hint} tools/list names those there are.`;
          throw new ProtocolError('invalid_params', why);
        }
        return callTool(dispatch, tools, bound, given, caller, { ...during, requestId: id });
      });
    },

    listResources: (cursor, during) =>
      reading(during, (read, inReach) => listResources(read, inReach, cursor)),
    readResource: (uri, during) => reading(during, (read) => readResource(read, uri)),
    complete: (asked, during) => reading(during, (read, inReach) => complete(read, inReach, asked)),
  };
}
