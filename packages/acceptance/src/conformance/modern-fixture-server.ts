import { randomBytes } from 'node:crypto';
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import {
  completeFixture,
  constantTools,
  describeFixtureTool,
  fixtureTemplates,
  listFixturePrompts,
  listFixtureResources,
  readFixtureResource,
  renderFixturePrompt,
  text,
} from './fixture-content.js';

type Reply = CallToolResult | InputRequiredResult;
type AskingTool = (context: ServerContext) => Promise<Reply> | Reply;

const codec = createRequestStateCodec<string>({ key: new Uint8Array(randomBytes(32)) });

const form = (message: string, field: string) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] },
  });
const sample = (words: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(words) }], maxTokens });

const done = (words: string): CallToolResult => ({ content: [text(words)] });
const hasResponse = ({ mcpReq }: ServerContext, key: string) =>
  inputResponse(mcpReq.inputResponses, key).kind !== 'missing';

/** The tools that ask the client for something, or send more than their result, by name. */
const askingTools: Readonly<Record<string, AskingTool>> = {
  test_input_required_result_elicitation({ mcpReq }) {
    const given = acceptedContent<{ name: string }>(mcpReq.inputResponses, 'user_name');
    if (given) return done(`Hello, ${given.name}!`);
    return inputRequired({ inputRequests: { user_name: form('What is your name?', 'name') } });
  },
  test_input_required_result_sampling: (context) =>
    hasResponse(context, 'capital_question')
      ? done('Paris.')
      : inputRequired({
          inputRequests: { capital_question: sample('What is the capital of France?', 100) },
        }),
  test_input_required_result_list_roots: (context) =>
    hasResponse(context, 'client_roots')
      ? done('Received the roots.')
      : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } }),
  test_input_required_result_request_state: confirmWithState,
  test_input_required_result_tampered_state: confirmWithState,
  async test_input_required_result_multiple_inputs(context) {
    const keys = ['user_name', 'greeting', 'client_roots'];
    if (keys.every((key) => hasResponse(context, key))) return done('Received all.');
    return inputRequired({
      inputRequests: {
        user_name: form('What is your name?', 'name'),
        greeting: sample('Generate a greeting', 50),
        client_roots: inputRequired.listRoots(),
      },
      requestState: await codec.mint('multiple'),
    });
  },
  async test_input_required_result_multi_round(context) {
    const state = context.mcpReq.requestState<string>();
    if (state === 'second' && hasResponse(context, 'step2')) return done('Received both.');
    if (state === 'first' && hasResponse(context, 'step1')) {
      return inputRequired({
        inputRequests: { step2: form('Step 2: What is your favorite color?', 'color') },
        requestState: await codec.mint('second'),
      });
    }
    return inputRequired({
      inputRequests: { step1: form('Step 1: What is your name?', 'name') },
      requestState: await codec.mint('first'),
    });
  },
  test_input_required_result_capabilities(context) {
    const { sampling, elicitation } = capabilitiesOf(context);
    return inputRequired({
      inputRequests: {
        ...(sampling !== undefined && { question: sample('What is the capital of France?', 100) }),
        ...(elicitation !== undefined && { user_name: form('What is your name?', 'name') }),
      },
    });
  },
  test_missing_capability(context) {
    if (capabilitiesOf(context)['sampling'] !== undefined) return done('The client supports sampling.');
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } });
  },
  test_streaming_elicitation: () =>
    inputRequired({ inputRequests: { user_name: form('What is your name?', 'name') } }),
  async test_logging_tool({ mcpReq }) {
    await mcpReq.log('info', 'Not sent, because the request names no level.');
    return done('Logged.');
  },
  async test_tool_with_progress({ mcpReq }) {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [0, 50, 100]) {
      if (progressToken === undefined) break;
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 100 },
      });
    }
    return done('Done in three steps.');
  },
};

async function confirmWithState(context: ServerContext): Promise<Reply> {
  if (context.mcpReq.requestState<string>() === 'confirm' && hasResponse(context, 'confirm')) {
    return done('state-ok');
  }
  return inputRequired({
    inputRequests: {
      confirm: inputRequired.elicit({
        message: 'Please confirm',
        requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
      }),
    },
    requestState: await codec.mint('confirm'),
  });
}

const capabilitiesOf = ({ mcpReq }: ServerContext) =>
  ((mcpReq.envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] ?? {}) as Record<
    string,
    object | undefined
  >;

const ASKING_PROMPT = 'test_input_required_result_prompt';

/** The same fixtures as `fixtureServer`, in revision 2026-07-28, with those that only it has. */
export function modernFixtureServer(): Server {
  const server = new Server(
    { name: 'fixtures', version: '1' },
    {
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {}, logging: {} },
      supportedProtocolVersions: ['2026-07-28'],
      requestState: { verify: codec.verify },
    },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: [...Object.keys(constantTools), ...Object.keys(askingTools)].map(describeFixtureTool),
  }));
  server.setRequestHandler('tools/call', async ({ params: { name } }, context) => {
    const tool = askingTools[name];
    return tool ? tool(context) : { ...(constantTools[name] ?? refuseUnknown(name)) };
  });
  server.setRequestHandler('prompts/list', () => ({
    prompts: [...listFixturePrompts(), { name: ASKING_PROMPT, description: 'A prompt that asks first' }],
  }));
  server.setRequestHandler('prompts/get', ({ params }, { mcpReq }) => {
    if (params.name !== ASKING_PROMPT) {
      return renderFixturePrompt(params.name, params.arguments ?? {}) ?? refuseUnknown(params.name);
    }
    const given = acceptedContent<{ context: string }>(mcpReq.inputResponses, 'user_context');
    if (given) return { messages: [{ role: 'user' as const, content: text(given.context) }] };
    return inputRequired({
      inputRequests: { user_context: form('What context should the prompt use?', 'context') },
    });
  });
  server.setRequestHandler('completion/complete', ({ params }) => completeFixture(params.argument.value));
  server.setRequestHandler('resources/list', () => ({ resources: listFixtureResources() }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: fixtureTemplates }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) => {
    const found = readFixtureResource(uri);
    if (!found) throw new ResourceNotFoundError(uri);
    return found;
  });
  return server;
}

function refuseUnknown(name: string): never {
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown fixture ${name}.`);
}
