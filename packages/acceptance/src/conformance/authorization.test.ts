import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '@switchboard/persistence/testing';
import { startClientMetadataServer, type ClientMetadataServer } from '../support/client-metadata-server.js';
import type { Switchboard } from '../support/installation.js';
import { asText } from '../support/json.js';
import { consent, inviteToKey, oauthClient } from '../support/oauth-client.js';
import { restClient } from '../support/rest-client.js';
import { startSwitchboard } from '../support/start-switchboard.js';
import { trustTestCertificate } from '../support/test-certificate.js';
import { installTools, runTool } from './run-tool.js';

const INSTALL_AND_START_MS = 6 * 60_000;
const SUITE_MS = 4 * 60_000;

let switchboard: Switchboard;
let documents: ClientMetadataServer;
beforeAll(async () => {
  await installTools();
  documents = await startClientMetadataServer();
  switchboard = await startSwitchboard({
    name: 'authorization_conformance',
    mcp: true,
    env: { ...(await trustTestCertificate()), SWITCHBOARD_ALLOW_PRIVATE_HOSTS: documents.host },
  });
}, INSTALL_AND_START_MS);
afterAll(async () => {
  await switchboard?.stop();
  await documents?.close();
});

const metadata = (port: number) => ({
  client_name: 'The conformance suite',
  redirect_uris: [`http://127.0.0.1:${port}/callback`],
  token_endpoint_auth_method: 'none',
});
const clients: Readonly<Record<string, (port: number) => Promise<string>>> = {
  registered: async (port) =>
    asText((await oauthClient(switchboard).register(metadata(port))).json['client_id']),
  'known by its metadata document': async (port) => documents.publish('suite.json', metadata(port)),
};

/** The suite prints the address that a person opens, and waits for the redirect. */
test.each([
  ['registered', '2025-11-25'],
  ['registered', '2026-07-28'],
  ['known by its metadata document', '2026-07-28'],
] as const)(
  'the authorization server conforms without an exception, for a client that is %s, in revision %s',
  async (kind, revision) => {
    const port = await freePort();
    const { code } = await inviteToKey(restClient(switchboard.url, switchboard.keys.full), ['posts:read']);
    let printed = '';
    let consented: Promise<unknown> | undefined;
    const ran = await runTool(
      'suite',
      [
        ...['authorization', '--url', switchboard.url, '--spec-version', revision],
        ...['--client-id', (await clients[kind]?.(port)) ?? '', '--port', String(port)],
        ...['--resource', switchboard.mcpUrl],
      ],
      {
        env: {},
        deadlineMs: SUITE_MS,
        onOutput(part) {
          printed += part;
          const [authorize] = /http:\S+\/oauth\/authorize\?\S+(?=\n)/.exec(printed) ?? [];
          if (authorize !== undefined)
            consented ??= consent(authorize, code).then((redirect) => fetch(redirect));
        },
      },
    );
    await consented;
    const summary = ran.stdout.slice(ran.stdout.indexOf('=== SUMMARY ==='));
    process.stdout.write(`${summary}\n`);
    expect({ ...ran, stdout: summary }).toMatchObject({ code: 0 });
    expect(ran.stdout).toContain('(2 scenarios)');
    expect(ran.stdout).not.toMatch(/SKIPPED|WARNING|FAILURE/);
  },
  SUITE_MS,
);
