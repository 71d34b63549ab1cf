import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { freePort } from '@switchboard/persistence/testing';
import { eventually } from './support/eventually.js';
import { asText } from './support/json.js';
import { restClient, type RestClient } from './support/rest-client.js';
import type { Switchboard } from './support/installation.js';
import { serveSwitchboard } from './support/serve-switchboard.js';

/** The receivers of docs/webhooks.md, run as they are printed there. */
let document: string;
let folder: string;
let port: number;
let switchboard: Switchboard;
let client: RestClient;
const running = new Set<ChildProcess>();
beforeAll(async () => {
  document = await readFile(fileURLToPath(new URL('../../../docs/webhooks.md', import.meta.url)), 'utf8');
  // Inside this package, so that the receiver finds the library.
  folder = await mkdtemp(fileURLToPath(new URL('../receiver-', import.meta.url)));
  port = await freePort();
  switchboard = await serveSwitchboard({
    name: 'receivers',
    env: { SWITCHBOARD_ALLOW_PRIVATE_HOSTS: `127.0.0.1:${port}` },
  });
  client = restClient(switchboard.url, switchboard.keys.full);
});
afterAll(async () => {
  for (const process of running) process.kill();
  await switchboard?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Starts a receiver and waits until it listens. */
async function start(command: string, file: string, secret: string) {
  const receiver = spawn(command, [file], {
    env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret },
  });
  running.add(receiver);
  let output = '';
  for (const stream of [receiver.stdout, receiver.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await eventually('the receiver listens', async () => {
    if (receiver.exitCode !== null) throw new Error(output);
    const response = await fetch(`http://127.0.0.1:${port}`, {
      method: 'POST',
      body: '{"type":"unsigned"}',
    }).catch(() => null);
    return response;
  });
  const stop = () =>
    new Promise<void>((stopped) => {
      running.delete(receiver);
      receiver.once('exit', () => stopped());
      receiver.kill();
    });
  return { output: () => output, stop };
}

async function acceptsEvents(language: string, command: string): Promise<void> {
  const [, code = ''] = new RegExp('```' + language + '\\n([^]*?)```').exec(document) ?? [];
  const file = join(folder, `receiver.${language === 'ts' ? 'mts' : 'py'}`);
  await writeFile(file, code);
  const first = await start(command, file, 'whsec_bm90IHRoZSBzZWNyZXQ=');
  const body = { url: `http://127.0.0.1:${port}/`, events: ['key.created'] };
  const webhook = await client.expect(201, 'POST', '/webhooks', { body });
  const path = `/webhooks/${asText(webhook['id'])}`;
  expect(await client.expect(200, 'POST', `${path}/test`)).toMatchObject({ delivered: false, status: 401 });
  await first.stop();
  const receiver = await start(command, file, asText(webhook['secret']));
  const key = await client.expect(201, 'POST', '/keys', { body: { name: 'x', scopes: ['posts:read'] } });
  await eventually('the event is printed', async () => receiver.output().includes(asText(key['id'])) || null);
  expect(await client.expect(200, 'POST', `${path}/test`)).toMatchObject({ delivered: true, status: 200 });
  const forged = await fetch(body.url, {
    method: 'POST',
    headers: { 'webhook-id': 'evt_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' },
    body: '{"type":"key.created"}',
  });
  expect(forged.status).toBe(401);
  await client.expect(204, 'DELETE', path);
  await receiver.stop();
}

test('the receiver in TypeScript accepts the challenge and signed events only', () =>
  acceptsEvents('ts', process.execPath));

const hasPython =
  spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0;
// Python is no requirement of this repository: a machine without it reports this test as skipped.
(hasPython ? test : test.skip)('the receiver in Python accepts the challenge and signed events only', () =>
  acceptsEvents('python', 'python3'),
);
