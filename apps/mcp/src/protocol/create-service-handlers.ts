import { listManifests, type Service } from '@switchboard/bootstrap';
import { findClosestName, ok } from '@switchboard/domain';
import { identifyCaller, type Scope } from '@switchboard/domain/access';
import { catalog } from '@switchboard/operations';
import type { McpHandlers, CallContext } from './mcp-handlers.js';
import { dispatchForCaller, type Caller } from './dispatch-for-caller.js';
import { callTool } from '../tools/call-tool.js';
import { complete } from './completion.js';
import { filterTools, type ToolFilter } from '../tools/tool-filter.js';
import { ProtocolError } from './protocol-error.js';
import type { ToolReader } from '../tools/tool-reader.js';
import { listResources, readResource } from '../resources/resources.js';
import { deriveTools, type BoundTool, type Tool } from '../tools/tool.js';

/** The parts of the service that this app uses. */
export type McpService = Pick<
  Service,
  'config' | 'instanceId' | 'metrics' | 'ports' | 'dispatch' | 'observer' | 'ready'
>;

interface DerivedTools {
  readonly tools: readonly BoundTool[];
  readonly byName: ReadonlyMap<string, BoundTool>;
  readonly visible: WeakMap<ToolFilter, WeakMap<readonly Scope[], readonly Tool[]>>;
}

/** Derived once for an installation, whose platforms the tools name. */
const derivedFor = new WeakMap<Service['config'], DerivedTools>();

export function derivedTools(config: Service['config']): DerivedTools {
  const known = derivedFor.get(config);
  if (known) return known;
  const tools = deriveTools(catalog, listManifests(config));
  const byName = new Map(tools.map((bound) => [bound.tool.name, bound]));
  const derived: DerivedTools = { tools, byName, visible: new WeakMap() };
  derivedFor.set(config, derived);
  return derived;
}

/**
 * The tools that these scopes and this filter allow. Filtered once for a cached key, whose scopes are the same object in
 * each request, as is the filter of requests without headers that narrow it.
 */
function visibleTo(
  { tools, visible }: DerivedTools,
  scopes: readonly Scope[],
  toolFilter: ToolFilter,
): readonly Tool[] {
  const byScopes = visible.get(toolFilter) ?? new WeakMap<readonly Scope[], readonly Tool[]>();
  const known = byScopes.get(scopes);
  if (known) return known;
  const filtered = filterTools(tools, scopes, toolFilter);
  visible.set(toolFilter, byScopes.set(scopes, filtered));
  return filtered;
}

/**
 * Creates the handlers for one caller. Cheap: everything about the tools was derived at startup, so HTTP
 * creates them per request.
 */
export function createServiceHandlers(
  { config, ports, dispatch, observer }: McpService,
  caller: Caller,
  requestId?: string,
): McpHandlers {
  const derived = derivedTools(config);
  const { tools, byName } = derived;
  const platformName = (id: string) => ports.manifests.find(id)?.name ?? id;
  const nextId = () => requestId ?? ports.ids.next('req');

  /** Reports an internal error with the request id that identifies it in the log. */
  async function withErrorReporting<Value>(
    knownId: string | null,
    respond: () => Promise<Value>,
  ): Promise<Value> {
    try {
      return await respond();
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      const id = knownId ?? nextId();
      observer.onError(error, id);
      throw new ProtocolError('internal', `Internal error. Request id ${id} identifies it in the log.`, {
        request_id: id,
      });
    }
  }

  async function listVisibleTools(): Promise<readonly Tool[]> {
    const { result } = await identifyCaller(ports, { ...caller, surface: 'mcp' });
    if (!result.ok) throw new ProtocolError('invalid_request', result.failure.message);
    return visibleTo(derived, result.value.scopes, caller.toolFilter);
  }

  const listVisibleToolNames = async () => (await listVisibleTools()).map(({ name }) => name);

  /** Runs a function that reads through tools, under one request id. */
  const withReader = <Value>(
    { signal }: CallContext,
    respond: (read: ToolReader, availableTools: readonly string[]) => Promise<Value>,
  ): Promise<Value> => {
    const id = nextId();
    const read: ToolReader = (name, input) => {
      const { operation } = byName.get(name) as BoundTool;
      return dispatchForCaller(dispatch, operation, caller, { requestId: id, input: ok(input), signal });
    };
    return withErrorReporting(id, async () => respond(read, await listVisibleToolNames()));
  };

  return {
    listTools: () => withErrorReporting(null, listVisibleTools),

    callTool(name, toolArguments, callContext) {
      const id = nextId();
      return withErrorReporting(id, async () => {
        const bound = byName.get(name);
        if (!bound) {
          const suggestion = findClosestName(name, await listVisibleToolNames());
          const hint = suggestion === null ? '' : ` Did you mean ${suggestion}?`;
          const message = `Unknown tool.${hint} Call tools/list for the available tools.`;
          throw new ProtocolError('invalid_params', message);
        }
        const context = { ...callContext, requestId: id, platformName };
        return callTool({ dispatch, ports }, tools, bound, toolArguments, caller, context);
      });
    },

    listResources: (cursor, callContext) =>
      withReader(callContext, (read, availableTools) => listResources(read, availableTools, cursor)),
    readResource: (uri, callContext) => withReader(callContext, (read) => readResource(read, uri)),
    complete: (completionRequest, callContext) =>
      withReader(callContext, (read, availableTools) => complete(read, availableTools, completionRequest)),
  };
}
