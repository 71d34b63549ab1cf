import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openBrowser } from './support/browser.js';
import { submitConnectForm } from './support/connect-sandbox.js';
import { queryRows } from './support/database.js';
import { eventually } from './support/eventually.js';
import { asObjects, asText, type JsonObject } from './support/json.js';
import { connectMcpHttp, connectMcpStdio } from './support/mcp-client.js';
import { startProgram, type Program } from './support/program.js';
import { programs } from './support/programs.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { startSwitchboard, type SwitchboardProcesses } from './support/start-switchboard.js';

const TOKEN = 'key-of-the-account-owner';
let folder: string;
let server: Server;
let origin: string;
let switchboard: SwitchboardProcesses;
/** Delivers all posts: REST has no worker here. */
let worker: Program;
let client: RestClient;
const PASSWORD = 'the-password-of-the-account-owner';
/** The texts that the platform at `server` published, and the authorization that they came with. */
const published: { readonly text: string; readonly authorization: string | undefined }[] = [];
const connections: Record<string, string> = {};

/** An adapter of a platform at which a post is `POST /posts`; `publish` is the body of its function. */
const adapter = (id: string, publish: string, more = '') => `
import { definePlatform, ok, refuse } from '@switchboard/platform-kit';
import { keyLogin, requiredField, socialPlatform } from '@switchboard/platform-kit/manifest-defaults';
${more}
const send = (session, text) =>
  session.request({ method: 'POST', path: '/posts', json: { text }, effect: 'write' });
export default definePlatform({
  manifest: {
    ...socialPlatform,
    id: '${id}', name: '${id}',
    connect: [keyLogin({
      id: 'key', label: 'Connect',
      fields: [requiredField('password', 'key', 'Key', 'From your settings.')],
      keyForm: { serverField: null, send: { kind: 'bearer', field: 'key' } },
    })],
    permissions: { publishing: [] },
    text: { max: 300, unit: 'code points', required: true },
    setup: { consoleUrl: null, reviewNeeded: false, pitfalls: [] },
    media: null,
    baseUrl: 'https://api.${id}.social', authBaseUrl: null,
    evidence: 'simulator', verifiedOn: '2026-11-26', docsUrl: 'https://${id}.social/docs',
  },
  connecting: {
    async identify(session) {
      const me = await session.request({ method: 'GET', path: '/me', effect: 'read' });
      if (!me.ok) return me;
      const id = globalThis.${id}Account ?? me.value.json.id;
      return ok([{ id, username: id, name: null, avatarUrl: null, url: null }]);
    },
  },
  publishing: {
    count: (text) => [...text].length,
    finalText: ({ text }) => text,
    check({ text }) {
      if (text === 'broken rules') throw new Error('a bug of the check');
      // In the process that checks accounts; posts are published by another one.
      if (text === 'throw') globalThis.${id}Account = 'acc_other';
      return [];
    },
    async publish(session, item) { ${publish} },
  },
});`;

/** A login with a password, whose session can be renewed with its own token. */
const passwordMethod = `{
  id: 'password', label: 'Log in', scheme: 'password_login', needsApp: false,
  fields: [
    requiredField('handle', 'user', 'User name', ''),
    requiredField('password', 'password', 'Password', ''),
  ],
  passwordLogin: {
    serverField: null,
    login: { path: '/session', body: { user: '{user}', password: '{password}' } },
    response: { token: ['token'] },
    send: { kind: 'header', name: 'x-session' },
    renewal: { path: '/session/renew', bearer: 'token' },
  },
}`;

const wellBehaved = `
  const sent = await send(session, item.text);
  return sent.ok ? ok({ externalId: sent.value.json.id, url: null, receipt: {} }) : sent;`;
/** Tries to obtain a token by renewing the session itself. */
const greedy = `
  const seen = [];
  for (const path of ['/session/renew', '/Session//%72enew/'])
    seen.push(await session.request({ method: 'POST', path, effect: 'read' }));
  const sent = await send(session, JSON.stringify(seen));
  return sent.ok ? ok({ externalId: sent.value.json.id, url: null, receipt: {} }) : sent;`;
const hostile = `
  if (item.text === 'throw') throw new Error('a bug of thorn');
  if (item.text === 'hang') return new Promise(() => undefined);
  if (item.text === 'token') return ok({ externalId: JSON.stringify(session), url: null, receipt: {} });
  await send(session, item.text);
  return { ok: true, value: { id: 7 } };`;

beforeAll(async () => {
  server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      response.setHeader('content-type', 'application/json');
      const body = Buffer.concat(chunks).toString();
      if (request.url === '/session')
        return body === JSON.stringify({ user: 'alice', password: PASSWORD })
          ? response.end(JSON.stringify({ token: TOKEN }))
          : response.writeHead(401).end('{}');
      const given = [request.headers.authorization, request.headers['x-session']];
      if (!given.includes(`Bearer ${TOKEN}`) && !given.includes(TOKEN))
        return response.writeHead(401).end('{}');
      if (request.url?.toLowerCase().startsWith('/session'))
        return response.end(JSON.stringify({ token: TOKEN }));
      if (request.url === '/me') return response.end('{"id":"acc_1"}');
      const { text } = JSON.parse(body) as { readonly text: string };
      published.push({ text, authorization: request.headers.authorization });
      return response.end(JSON.stringify({ id: `post_${published.length}` }));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  folder = mkdtempSync(path.join(tmpdir(), 'external-platforms-'));
  const scope = path.join(folder, 'node_modules/@switchboard');
  mkdirSync(scope, { recursive: true });
  symlinkSync(path.resolve(import.meta.dirname, '../../platform-kit'), path.join(scope, 'platform-kit'));
  const write = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  const files = [
    write('fern.mjs', adapter('fern', wellBehaved)),
    write('thorn.mjs', adapter('thorn', hostile)),
    write(
      'sorrel.mjs',
      adapter('sorrel', greedy).replace(/connect: \[keyLogin[^]*?\}\)\],/, `connect: [${passwordMethod}],`),
    ),
    write('bramble.mjs', adapter('bramble', wellBehaved, `import 'node:http';`)),
  ];
  switchboard = await startSwitchboard({
    name: 'external_platforms',
    mcp: true,
    env: {
      SWITCHBOARD_PLATFORMS: files.join(','),
      SWITCHBOARD_ROLES: 'http',
      SWITCHBOARD_FERN_BASE_URL: origin,
      SWITCHBOARD_THORN_BASE_URL: origin,
      SWITCHBOARD_SORREL_BASE_URL: origin,
      SWITCHBOARD_ALLOW_PRIVATE_HOSTS: new URL(origin).host,
    },
  });
  worker = startProgram(programs.cli, switchboard.env, ['worker']);
  await worker.waitForOutput(/The worker is ready/);
  client = restClient(switchboard.url, switchboard.keys.full);
});
afterAll(async () => {
  await worker?.stop();
  await switchboard?.stop();
  server?.close();
  server?.closeAllConnections();
  rmSync(folder, { recursive: true, force: true });
});

const createPost = (platform: string, text: string) =>
  client.expect(201, 'POST', '/social/posts', {
    body: { text, targets: [{ connection_id: connections[platform] }] },
  });
const deliveryOf = async (post: JsonObject) =>
  asObjects((await client.expect(200, 'GET', `/social/posts/${asText(post['id'])}`))['deliveries'])[0] ?? {};
const settled = (post: JsonObject, status: string) =>
  eventually(`the delivery is ${status}`, async () => {
    const delivery = await deliveryOf(post);
    return delivery['status'] === status ? delivery : null;
  });
const logs = () => switchboard.logs() + worker.output();
async function doctor() {
  const program = startProgram(programs.cli, switchboard.env, ['doctor', '--json']);
  await program.exited;
  return asObjects((JSON.parse(program.stdout()) as JsonObject)['checks']);
}

test('external platforms are listed as such over REST and MCP, and one that imports node:http is left out', async () => {
  const listed = asObjects((await client.expect(200, 'GET', '/platforms'))['data']);
  const external = listed.filter(({ source }) => source === 'external').map(({ id }) => id);
  expect(external).toEqual(['fern', 'thorn', 'sorrel']);
  expect(listed.find(({ id }) => id === 'bluesky')).toMatchObject({ source: 'built_in' });
  expect(await client.expect(200, 'GET', '/platforms/fern')).toMatchObject({ source: 'external' });

  const mcp = await connectMcpStdio(switchboard, switchboard.keys.agent);
  try {
    // Also before the service is open, when the tools come from the build.
    expect(JSON.stringify(await mcp.toolDefinitions())).toContain('fern');
    const { json } = await mcp.call('list_platforms', {});
    const rows = asObjects(json['data']);
    expect(rows.filter(({ source }) => source === 'external').map(({ id }) => id)).toEqual([
      'fern',
      'thorn',
      'sorrel',
    ]);
  } finally {
    await mcp.close();
  }
  expect(switchboard.logs()).toMatch(/bramble\.mjs.*imports node:http.*external platform left out/);
});

test('an account is connected through the hosted page, which says that the operator added the platform', async () => {
  for (const platform of ['fern', 'thorn']) {
    const started = await client.expect(201, 'POST', '/connect/url', { body: { platform } });
    const browser = openBrowser();
    const page = await browser.get(asText(started['url']));
    expect(page.text).toContain('Added to this installation by its operator.');
    await submitConnectForm(browser, asText(started['url']), 'key', { key: TOKEN });
    const session = await client.expect(200, 'GET', `/connect/sessions/${asText(started['id'])}`);
    expect(session).toMatchObject({ status: 'connected' });
    [connections[platform] = ''] = session['connection_ids'] as string[];
  }
});

test('a hostile adapter affects its own posts only', async () => {
  const [hanging, throwing, malformed, nosy] = [
    await createPost('thorn', 'hang'),
    await createPost('thorn', 'throw'),
    await createPost('thorn', 'malformed'),
    await createPost('thorn', 'token'),
  ];
  const good = await createPost('fern', 'a post of fern');
  expect(await settled(good, 'published')).toMatchObject({
    parts: [{ external_id: expect.stringMatching(/^post_/) }],
  });
  expect((await deliveryOf(hanging))['status']).toBe('sending');
  // Nothing was sent: it is tried again until its time has passed.
  await settled(throwing, 'retrying');
  // It was sent, and nothing can be read back: a person decides.
  await settled(malformed, 'needs_review');
  const seen = JSON.stringify(await settled(nosy, 'published'));
  expect(seen).not.toContain(TOKEN);
  expect(published.map(({ text }) => text).sort()).toEqual(['a post of fern', 'malformed']);
});

test('a password is exchanged on the hosted page, and neither it nor the token reaches the adapter', async () => {
  const started = await client.expect(201, 'POST', '/connect/url', { body: { platform: 'sorrel' } });
  const browser = openBrowser();
  const url = asText(started['url']);
  expect((await browser.get(url)).text).toContain('Your password is sent to sorrel once to sign in');
  const refused = await submitConnectForm(browser, url, 'password', { user: 'alice', password: 'wrong' });
  expect(refused.text).toContain('did not accept the user name or the password');
  await submitConnectForm(browser, url, 'password', { user: 'alice', password: PASSWORD });
  const session = await client.expect(200, 'GET', `/connect/sessions/${asText(started['id'])}`);
  [connections['sorrel'] = ''] = session['connection_ids'] as string[];
  await settled(await createPost('sorrel', 'renew'), 'published');
  const seen = published.at(-1)?.text ?? '';
  expect(seen).toContain('platform.address_refused');
  expect(seen).not.toContain(TOKEN);
  expect(logs()).not.toContain(PASSWORD);
});

test('a post over MCP over HTTP reaches the platform through the worker', async () => {
  const mcp = await connectMcpHttp(switchboard, switchboard.keys.agent);
  try {
    const { json } = await mcp.call('create_post', {
      text: 'a post of an agent',
      targets: [{ connection_id: connections['fern'] }],
    });
    expect(await settled(json, 'published')).toMatchObject({ platform: 'fern' });
    expect(published.at(-1)?.text).toBe('a post of an agent');
  } finally {
    await mcp.close();
  }
});

test('a post that the rules of the adapter cannot check is not created', async () => {
  const body = { text: 'broken rules', targets: [{ connection_id: connections['fern'] }] };
  const refused = await client.expect(422, 'POST', '/social/posts', { body });
  expect(JSON.stringify(refused)).toContain('The adapter of fern cannot check posts');
});

test('an adapter that answers for another account changes nothing about its connection', async () => {
  const checked = await client.expect(200, 'GET', `/connections/${connections['thorn']}?refresh=true`);
  expect(checked).toMatchObject({ account: { id: 'acc_1' } });
  expect(await client.expect(200, 'GET', `/connections/${connections['fern']}?refresh=true`)).toMatchObject({
    status: 'active',
    account: { id: 'acc_1' },
  });
});

test('every fault is in the log and in doctor', async () => {
  expect(logs()).toMatch(/"method":"publishing\.publish","kind":"threw".*a bug of thorn/);
  expect(logs()).toMatch(/"method":"publishing\.publish","kind":"malformed"/);
  // A process announces them with its heartbeat, before which a command would find nothing.
  await eventually('the faults are in the register of processes', async () => {
    const [row] = await queryRows<{ readonly faults: string | null }>(
      switchboard.databaseUrl,
      `SELECT string_agg(adapter_faults::text, '') AS faults FROM key_holders`,
    );
    return /threw/.test(row?.faults ?? '') && /malformed/.test(row?.faults ?? '') ? row : null;
  });
  const checks = await eventually('the faults are announced', async () => {
    const found = await doctor();
    return found.filter(({ name }) => name === 'thorn').length >= 4 ? found : null;
  });
  expect(checks).toContainEqual(
    expect.objectContaining({
      name: expect.stringContaining('bramble.mjs'),
      ok: false,
      detail: expect.stringContaining('imports node:http'),
    }),
  );
  expect(checks).toContainEqual({
    name: 'fern',
    ok: true,
    detail: 'external; can be connected',
    advice: null,
  });
  const details = checks.filter(({ name }) => name === 'thorn').map(({ detail }) => asText(detail));
  expect(details.some((detail) => detail.startsWith('connecting.identify returned malformed data'))).toBe(
    true,
  );
  expect(details.some((detail) => detail.startsWith('publishing.publish threw'))).toBe(true);
  expect(details.some((detail) => detail.startsWith('publishing.publish returned malformed data'))).toBe(
    true,
  );
});
