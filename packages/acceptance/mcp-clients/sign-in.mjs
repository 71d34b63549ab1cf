// Signs in by OAuth as one client's own code does, and prints one JSON object per line: the address to open, what the
// access token reaches, the same after a refresh, and, once a line arrives on stdin, the error of a next call.
// node sign-in.mjs <sdk|next-sdk|ai-sdk|mcp-remote|inspector> <url> <folder> [client id]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { auth, createMCPClient } from '@ai-sdk/mcp';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as next from '@modelcontextprotocol/client';

const [library, url, folder, clientId] = process.argv.slice(2);
const print = (line) => console.log(JSON.stringify(line));
const identity = { name: library, version: '1' };

async function see(client) {
  const { tools } = await client.listTools();
  const { structuredContent } = await client.callTool({ name: 'whoami', arguments: {} });
  return { tools: tools.map(({ name }) => name), scopes: structuredContent.key.scopes };
}

/** Calls until the revocation, of which the test tells, has reached MCP. */
async function finish(call) {
  await once(process.stdin, 'data');
  for (;;) {
    const error = await call().then(
      () => null,
      (reason) => String(reason),
    );
    if (error === null) continue;
    print({ error });
    process.exit(0);
  }
}

/** A token that is no longer valid, so that the client refreshes by itself. */
const spoil = (token) => `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;

/** A provider that keeps everything in memory, and a callback on loopback. */
async function createProvider() {
  const callback = Promise.withResolvers();
  const server = createServer((request, response) => {
    callback.resolve(new URL(request.url, redirectUrl).searchParams);
    response.setHeader('content-type', 'text/html').end('<!doctype html><h1>Returned</h1>');
    server.close();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const redirectUrl = `http://127.0.0.1:${server.address().port}/callback`;
  const saved = {};
  const provider = {
    redirectUrl,
    clientMetadataUrl: clientId,
    clientMetadata: {
      client_name: library,
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    clientInformation: () => saved.client,
    saveClientInformation: (client) => void (saved.client = client),
    tokens: () => saved.tokens,
    saveTokens: (tokens) => void (saved.tokens = tokens),
    codeVerifier: () => saved.verifier,
    saveCodeVerifier: (verifier) => void (saved.verifier = verifier),
    redirectToAuthorization: (authorize) => print({ authorize: authorize.href }),
  };
  return { provider, saved, returned: callback.promise };
}

/** Prints what a signed-in client reaches, then the same after a refresh. */
async function showRefresh(saved, look) {
  print(await look());
  const { access_token: before } = saved.tokens;
  saved.tokens = { ...saved.tokens, access_token: spoil(before) };
  print({ refreshed: await look(), isNew: saved.tokens.access_token !== before });
}

/** The clients of the SDKs. */
async function signIn({ Client, StreamableHTTPClientTransport }, finishAuth) {
  const { provider, saved, returned } = await createProvider();
  const open = () => new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
  const first = open();
  const refused = await new Client(identity).connect(first).catch((error) => error);
  if (!(refused instanceof Error)) throw new Error('a client without a token was accepted');
  await finishAuth(first, await returned);
  const client = new Client(identity);
  await client.connect(open());
  await showRefresh(saved, () => see(client));
  await finish(() => client.listTools());
}

/** The command line of the Inspector: one process for each call, which share what they store in `folder`. */
async function inspect(port, args, onOutput = () => undefined) {
  const program = new URL(
    '../conformance/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
    import.meta.url,
  ).pathname;
  const options = [
    ...['--cli', url, '--transport', 'http', '--format', 'json'],
    ...(clientId === undefined ? [] : ['--client-metadata-url', clientId]),
    ...['--callback-url', `http://127.0.0.1:${port}/callback`],
  ];
  const env = {
    // Without a program that opens a browser: the test does. Without a terminal, the Inspector asks for this.
    PATH: folder,
    MCP_AUTO_OPEN_ENABLED: 'true',
    HOME: folder,
    MCP_INSPECTOR_SECRET_STORE: 'file',
  };
  const child = spawn(process.execPath, [program, ...options, ...args], { env });
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => onOutput((errors += chunk)));
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(errors);
  return JSON.parse(output).result;
}

/** Prints each address to open that is new in an output. */
function printAuthorize() {
  const printed = new Set();
  return (output) => {
    for (const [authorize] of output.matchAll(/http:\S+\/oauth\/authorize\?\S+(?=\s)/g)) {
      if (!printed.has(authorize)) print({ authorize });
      printed.add(authorize);
    }
  };
}

const ACCESS_TOKEN = /swb_at_[\w-]+/;

/** Spoils the access token in the stored file whose name matches; returns what `look` sees, with a new one. */
async function refreshStored(name, look) {
  const files = await readdir(folder, { recursive: true });
  const file = join(folder, files.find((one) => name.test(one)) ?? 'nothing');
  const text = await readFile(file, 'utf8');
  const [before] = ACCESS_TOKEN.exec(text);
  await writeFile(file, text.replace(before, spoil(before)));
  const refreshed = await look();
  const [after] = ACCESS_TOKEN.exec(await readFile(file, 'utf8'));
  return { refreshed, isNew: ![before, spoil(before)].includes(after) };
}

const libraries = {
  sdk: () =>
    signIn({ Client, StreamableHTTPClientTransport }, (transport, parameters) =>
      transport.finishAuth(parameters.get('code')),
    ),
  'next-sdk': () => signIn(next, (transport, parameters) => transport.finishAuth(parameters)),
  async 'ai-sdk'() {
    const { provider, saved, returned } = await createProvider();
    const open = () => createMCPClient({ transport: { type: 'http', url, authProvider: provider } });
    const refused = await open().catch((error) => error);
    if (!(refused instanceof Error)) throw new Error('a client without a token was accepted');
    const parameters = await returned;
    await auth(provider, {
      serverUrl: url,
      authorizationCode: parameters.get('code'),
      callbackState: parameters.get('state') ?? undefined,
      callbackIssuer: parameters.get('iss') ?? undefined,
    });
    const client = await open();
    await showRefresh(saved, async () => {
      const tools = await client.tools();
      const { structuredContent } = await tools.whoami.execute({}, { toolCallId: '1', messages: [] });
      return { tools: Object.keys(tools), scopes: structuredContent.key.scopes };
    });
    await finish(() => client.tools());
  },
  async 'mcp-remote'() {
    let log = '';
    const onOutput = printAuthorize();
    const open = async () => {
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [
          new URL('node_modules/mcp-remote/dist/proxy.js', import.meta.url).pathname,
          ...[url, '--allow-http'],
        ],
        // Without a program that opens a browser: the test does.
        env: { MCP_REMOTE_CONFIG_DIR: folder, HOME: folder, PATH: folder },
        stderr: 'pipe',
      });
      transport.stderr.on('data', (chunk) => onOutput((log += chunk)));
      const client = new Client(identity);
      await client.connect(transport, { timeout: 120_000 }).catch((error) => {
        throw new Error(log, { cause: error });
      });
      return client;
    };
    const first = await open();
    print(await see(first));
    await first.close();
    let client;
    const look = async () => see((client = await open()));
    print(await refreshStored(/_tokens\.json$/, look));
    await finish(() => client.listTools());
  },
  async inspector() {
    const server = createServer();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address();
    server.close();
    const look = async (...options) => {
      const { tools } = await inspect(port, ['--method', 'tools/list', ...options], printAuthorize());
      const call = ['--method', 'tools/call', '--tool-name', 'whoami', '--stored-auth-only'];
      const { structuredContent } = await inspect(port, call);
      return { tools: tools.map(({ name }) => name), scopes: structuredContent.key.scopes };
    };
    print(await look());
    print(await refreshStored(/secrets\.json$/, look));
    await finish(() => inspect(port, ['--method', 'tools/list', '--stored-auth-only']));
  },
};

await libraries[library]();
