import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { openChromium, openVisitor } from '../browser/open-visitor.js';
import { startClientMetadataServer, type ClientMetadataServer } from '../support/client-metadata-server.js';
import { installIsolated } from '../support/install-isolated.js';
import { installTools } from './run-tool.js';
import type { Switchboard } from '../support/installation.js';
import { asObjects, asText, type JsonObject } from '../support/json.js';
import { inviteToKey } from '../support/oauth-client.js';
import { restClient } from '../support/rest-client.js';
import { startSwitchboard } from '../support/start-switchboard.js';
import { trustTestCertificate } from '../support/test-certificate.js';

const FOLDER = fileURLToPath(new URL('../../mcp-clients/', import.meta.url));
const INSTALL_AND_START_MS = 6 * 60_000;
const SIGN_IN_MS = 4 * 60_000;

let switchboard: Switchboard;
let browser: Browser;
let documents: ClientMetadataServer;
let home: string;
beforeAll(async () => {
  await installIsolated(FOLDER);
  await installTools();
  home = await mkdtemp(join(tmpdir(), 'switchboard-oauth-clients-'));
  documents = await startClientMetadataServer();
  browser = await openChromium();
  switchboard = await startSwitchboard({
    name: 'oauth_clients',
    mcp: true,
    env: { ...(await trustTestCertificate()), SWITCHBOARD_ALLOW_PRIVATE_HOSTS: documents.host },
  });
}, INSTALL_AND_START_MS);
afterAll(async () => {
  await switchboard?.stop();
  await browser?.close();
  await documents?.close();
  await rm(home, { recursive: true, force: true });
});

interface ClientProgram {
  readonly child: ChildProcessWithoutNullStreams;
  /** The next object that it prints. */
  read(): Promise<JsonObject>;
}

function startClient(...args: readonly string[]): ClientProgram {
  const child = spawn(process.execPath, [join(FOLDER, 'sign-in.mjs'), ...args]);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  return {
    child,
    async read() {
      const { value, done } = await lines.next();
      if (done) throw new Error(`The client ended: ${errors}`);
      return JSON.parse(value) as JsonObject;
    },
  };
}

test.each([
  { library: 'sdk', by: 'registration' },
  { library: 'next-sdk', by: 'registration' },
  { library: 'sdk', by: 'its metadata document' },
  { library: 'next-sdk', by: 'its metadata document' },
  { library: 'ai-sdk', by: 'registration' },
  { library: 'mcp-remote', by: 'registration' },
  { library: 'inspector', by: 'registration' },
  { library: 'inspector', by: 'its metadata document' },
])(
  '$library signs in by $by: invited in Chromium, lists, calls, refreshes, and is rejected once revoked',
  async ({ library, by }) => {
    const api = restClient(switchboard.url, switchboard.keys.full);
    const { keyId, code } = await inviteToKey(api, ['posts:read', 'posts:write']);
    const document = documents.publish(`${library}.json`, {
      client_name: library,
      redirect_uris: ['http://127.0.0.1/callback'],
      token_endpoint_auth_method: 'none',
    });
    const usesDocument = by !== 'registration';
    // What a client stores would sign it in again.
    const folder = await mkdtemp(join(home, library));
    const client = startClient(library, switchboard.mcpUrl, folder, ...(usesDocument ? [document] : []));
    const visitor = await openVisitor(browser, switchboard.url);
    try {
      await visitor.page.goto(asText((await client.read())['authorize']));
      await visitor.page.getByLabel('Invitation code').fill(code);
      await visitor.press('Continue');
      await visitor.press('Allow access');
      const seen = await client.read();
      expect(seen).toMatchObject({
        scopes: ['posts:read'],
        tools: expect.arrayContaining(['list_posts', 'whoami']),
      });
      expect(seen['tools']).not.toContain('create_post');
      expect(await client.read()).toMatchObject({ isNew: true, refreshed: { scopes: ['posts:read'] } });
      const { data } = await api.expect(200, 'GET', `/keys/${keyId}/clients`);
      const [connected] = asObjects(data);
      if (usesDocument) expect(connected).toMatchObject({ oauth_client_id: document });
      await api.expect(204, 'DELETE', `/keys/${keyId}/clients/${asText(connected?.['id'])}`);
      client.child.stdin.write('revoked\n');
      // Without a token that is accepted, the client asks the person again, or fails.
      const after = await client.read();
      expect(after['authorize'] ?? after['error']).toEqual(expect.any(String));
    } finally {
      await visitor.close();
      client.child.kill();
    }
  },
  SIGN_IN_MS,
);
