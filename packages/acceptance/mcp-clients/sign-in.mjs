// Signs in by OAuth as one client's own code does, and prints one JSON object per line: the address to open, what the
// access token reaches, the same after a refresh, and, once a line arrives on stdin, the error of a next call.
// node sign-in.mjs <sdk|next-sdk|mcp-remote> <url> <folder> [client id]
import { createServer } from 'node:http';
import { once } from 'node:events';
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
async function finish(client) {
  await once(process.stdin, 'data');
  for (;;) {
    const error = await client.listTools().then(
      () => null,
      (reason) => String(reason),
    );
    if (error === null) continue;
    print({ error });
    process.exit(0);
  }
}

/** The clients of the SDKs: a provider that keeps everything in memory, and a callback on loopback. */
async function signIn({ Client, StreamableHTTPClientTransport }, finishAuth) {
  const callback = Promise.withResolvers();
  const server = createServer((request, response) => {
    callback.resolve(new URL(request.url, redirectUrl).searchParams);
    response.setHeader('content-type', 'text/html').end('<!doctype html><h1>Returned</h1>');
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
  const open = () => new StreamableHTTPClientTransport(new URL(url), { authProvider: provider });
  const first = open();
  const refused = await new Client(identity).connect(first).catch((error) => error);
  if (!(refused instanceof Error)) throw new Error('a client without a token was accepted');
  await finishAuth(first, await callback.promise);
  server.close();
  const client = new Client(identity);
  await client.connect(open());
  print({ clientId: saved.client.client_id, ...(await see(client)) });
  // A token that is no longer valid: the client refreshes by itself.
  const { access_token: before } = saved.tokens;
  saved.tokens = {
    ...saved.tokens,
    access_token: `${before.slice(0, -1)}${before.endsWith('A') ? 'B' : 'A'}`,
  };
  print({ refreshed: await see(client), isNew: saved.tokens.access_token !== before });
  await finish(client);
}

const libraries = {
  sdk: () =>
    signIn({ Client, StreamableHTTPClientTransport }, (transport, parameters) =>
      transport.finishAuth(parameters.get('code')),
    ),
  'next-sdk': () => signIn(next, (transport, parameters) => transport.finishAuth(parameters)),
  async 'mcp-remote'() {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [new URL('node_modules/mcp-remote/dist/proxy.js', import.meta.url).pathname, url, '--allow-http'],
      // Without a program that opens a browser: the test does.
      env: { MCP_REMOTE_CONFIG_DIR: folder, HOME: folder, PATH: folder },
      stderr: 'pipe',
    });
    let log = '';
    transport.stderr.on('data', (chunk) => {
      const had = log.length;
      log += chunk;
      const [authorize] = /http:\S+\/oauth\/authorize\S+(?=\n)/.exec(log) ?? [];
      if (authorize && !log.slice(0, had).includes(authorize)) print({ authorize });
    });
    const client = new Client(identity);
    await client.connect(transport, { timeout: 120_000 }).catch((error) => {
      throw new Error(log, { cause: error });
    });
    print(await see(client));
    await finish(client);
  },
};

await libraries[library]();
