// Lists the tools, calls one and reads a failure through one library's own MCP code, and prints what it saw.
// node run.mjs <library> <url> <key>
import { createMCPClient } from '@ai-sdk/mcp';
import { mcpToTool } from '@google/genai';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Agent, getAllMcpTools, MCPServerStreamableHttp, RunContext } from '@openai/agents';

const [library, url, key] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${key}` };
const failing = { id: 'pst_0' };

const libraries = {
  async google() {
    const client = new Client({ name: 'google', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    const callable = mcpToTool(client);
    const { functionDeclarations } = await callable.tool();
    const call = async (name, args) =>
      (await callable.callTool([{ name, args }]))[0].functionResponse.response;
    const seen = {
      tools: functionDeclarations.map(({ name }) => name),
      result: await call('list_platforms', {}),
      failure: await call('get_post', failing),
    };
    await client.close();
    return seen;
  },
  async openai() {
    const server = new MCPServerStreamableHttp({ url, name: 'switchboard', requestInit: { headers } });
    await server.connect();
    const runContext = new RunContext({});
    const agent = new Agent({ name: 'agent' });
    const tools = await getAllMcpTools({
      mcpServers: [server],
      convertSchemasToStrict: true,
      runContext,
      agent,
    });
    const call = (name, input) =>
      tools.find((tool) => tool.name === name).invoke(runContext, JSON.stringify(input));
    const seen = {
      tools: tools.map(({ name }) => name),
      strict: tools.filter(({ strict }) => strict).length,
      result: await call('list_platforms', {}),
      failure: await call('get_post', failing),
    };
    await server.close();
    return seen;
  },
  async vercel() {
    const client = await createMCPClient({ transport: { type: 'http', url, headers } });
    const tools = await client.tools();
    const call = (name, input) => tools[name].execute(input, { toolCallId: '1', messages: [] });
    const seen = {
      tools: Object.keys(tools),
      result: await call('list_platforms', {}),
      failure: await call('get_post', failing),
    };
    await client.close();
    return seen;
  },
  async langchain() {
    const client = new MultiServerMCPClient({
      mcpServers: { switchboard: { transport: 'http', url, headers } },
    });
    const tools = await client.getTools();
    const call = (name, input) =>
      tools
        .find((tool) => tool.name === name)
        .invoke(input)
        .catch((error) => ({ error: String(error) }));
    const seen = {
      tools: tools.map(({ name }) => name),
      result: await call('list_platforms', {}),
      failure: await call('get_post', failing),
    };
    await client.close();
    return seen;
  },
};

console.log(JSON.stringify(await libraries[library]()));
