import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import {
  createServer,
  request as send,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createClient, type Media } from '@switchboard/client';
import { scopes } from '@switchboard/domain/access';
import { freePort } from '@switchboard/persistence/testing';
import { eventually } from './support/eventually.js';
import { asText, type JsonObject } from './support/json.js';
import { largePng } from './support/large-png.js';
import { openOperator, type Operator } from './support/operator.js';
import { startSwitchboard, type SwitchboardProcesses } from './support/start-switchboard.js';

const BOUNDARY = 'a-boundary';

interface UploadResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly json: JsonObject;
  readonly text: string;
}

let switchboard: SwitchboardProcesses;
let operator: Operator;
/** A third-party web server; some of its files never complete. */
let fileServer: Server;
let webUrl: string;
const silentServer: ServerResponse[] = [];
let servedFile: Buffer;
beforeAll(async () => {
  servedFile = await largePng(1);
  fileServer = createServer((request, response) => {
    if (request.url?.startsWith('/silent')) silentServer.push(response);
    else response.writeHead(200, { 'content-type': 'image/png' }).end(servedFile);
  });
  const port = await freePort();
  await new Promise<void>((done) => fileServer.listen(port, '127.0.0.1', done));
  webUrl = `http://127.0.0.1:${port}`;
  switchboard = await startSwitchboard({
    name: 'media_fairness',
    env: { SWITCHBOARD_ALLOW_PRIVATE_HOSTS: new URL(webUrl).host },
  });
  operator = await openOperator(switchboard);
});
afterAll(async () => {
  await operator?.close();
  await switchboard?.stop();
  for (const response of silentServer) response.destroy();
  fileServer?.closeAllConnections();
  await new Promise((done) => fileServer.close(done));
});

/** A key for a separate workspace. */
async function createTenant(name: string): Promise<string> {
  const workspaceId = await operator.createWorkspace(name);
  return (await operator.createKey({ scopes, workspaceId })).token;
}

/** On a separate connection: a kept-alive one may be closed while a large body is in transit. */
function sendRequest(
  key: string,
  method: string,
  to: string,
  {
    type,
    pieces = [],
    url = switchboard.url,
  }: { type?: string; pieces?: readonly (Buffer | string)[]; url?: string } = {},
): Promise<UploadResponse> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, ...(type && { 'content-type': type }) };
    const request = send(new URL(to, url), { method, headers, agent: false }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        const said = Buffer.concat(parts).toString();
        const isJson = /json/.test(response.headers['content-type'] ?? '');
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          json: isJson ? (JSON.parse(said) as JsonObject) : {},
          text: said,
        });
      });
    });
    request.on('error', reject);
    const write = async () => {
      for (const piece of pieces) {
        if (request.destroyed) return;
        if (!request.write(piece)) await once(request, 'drain');
      }
      request.end();
    };
    write().catch(reject);
  });
}

const HEAD = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n`;
const upload = (key: string, ...bytes: readonly Buffer[]) =>
  sendRequest(key, 'POST', '/v1/social/media', {
    type: `multipart/form-data; boundary=${BOUNDARY}`,
    pieces: [HEAD, ...bytes, `\r\n--${BOUNDARY}--\r\n`],
  });
const post = (key: string, to: string, body: object, url = switchboard.url) =>
  sendRequest(key, 'POST', to, { type: 'application/json', pieces: [JSON.stringify(body)], url });
const fetched = (key: string, name: string, url = switchboard.url) =>
  post(key, '/v1/social/media', { url: `${webUrl}/${name}` }, url);

async function library(apiKey: string): Promise<readonly Media[]> {
  const all: Media[] = [];
  for await (const media of createClient({ baseUrl: switchboard.url, apiKey }).iterate('/v1/social/media'))
    all.push(media);
  return all;
}
/** The maximum number of files of a workspace: those in the store. */
async function stored(): Promise<number> {
  const folder = path.join(switchboard.dataDir, 'media');
  let files = 0;
  for (const inner of await readdir(folder, { withFileTypes: true })) {
    if (inner.isDirectory()) files += (await readdir(path.join(folder, inner.name))).length;
  }
  return files;
}

test('finding 8: an upload waits for one turn of another workspace, not for its twelve images', async () => {
  const [busy, other] = [await createTenant('busy'), await createTenant('patient')];
  const large = await largePng(3500);
  // Both decoders have started.
  await Promise.all([upload(busy, servedFile), upload(other, servedFile)]);
  let done = 0;
  const manyUploads = Array.from({ length: 12 }, () => upload(busy, large).finally(() => (done += 1)));
  await Promise.race(manyUploads);
  for (let nth = 0; nth < 3; nth++) {
    expect((await upload(other, servedFile)).status).toBe(201);
    if (nth === 0) expect(done).toBeLessThan(8);
  }
  for (const { status } of await Promise.all(manyUploads)) expect(status).toBe(201);
});

test('of a hundred concurrent uploads exactly those with a 201 response are stored, and the others can retry', async () => {
  const [busy, other] = [await createTenant('a hundred'), await createTenant('five')];
  const large = await largePng(2000);
  const before = await stored();
  const hundred = Array.from({ length: 100 }, () => upload(busy, large));
  const five = Array.from({ length: 5 }, () => upload(other, servedFile));
  const answers = await Promise.all(hundred);
  const refused = answers.filter(({ status }) => status !== 201);
  const kept = answers.length - refused.length;
  expect(kept).toBeGreaterThanOrEqual(51);
  for (const { status, headers, json } of refused) {
    expect([status, json]).toMatchObject([
      429,
      {
        code: 'rate_limit.exceeded',
        retryable: true,
        effect: 'none',
        retry_after_seconds: 5,
        details: { queue_limit: 50 },
      },
    ]);
    expect(headers['retry-after']).toBe('5');
  }
  for (const { status } of await Promise.all(five)) expect(status).toBe(201);
  expect(await library(busy)).toHaveLength(kept);
  expect(await stored()).toBe(before + kept + 5);
  if (refused.length > 0) expect((await upload(busy, large)).status).toBe(201);
});

/** An MP4 whose index has 15 million entries, streamed in chunks. */
function withLargeIndex(): readonly Buffer[] {
  const index = 15_000_000 * 8;
  const head = Buffer.alloc(52);
  head.write('0000001c6674797069736f6d0000020069736f6d69736f32617663316d703431', 0, 'hex');
  head.writeUInt32BE(index, 28);
  head.write('moov', 32, 'latin1');
  head.writeUInt32BE(index - 8, 36);
  head.write('stts', 40, 'latin1');
  head.writeUInt32BE(15_000_000, 48);
  const piece = Buffer.alloc(1_000_000);
  return [head, ...Array<Buffer>(120).fill(piece)].map((each, nth) =>
    nth === 120 ? each.subarray(0, each.length - (52 - 28)) : each,
  );
}
const readMemory = async (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

test('finding 9: six videos with an index of 120 MB are rejected without blocking the process or filling its memory', async () => {
  const key = await createTenant('videos');
  const video = withLargeIndex();
  expect((await upload(key, servedFile)).status).toBe(201);
  const before = await readMemory(switchboard.rest.pid);
  let isOver = false;
  let most = 0;
  let answered = 0;
  let answeredMeanwhile = 0;
  const watching = (async () => {
    while (!isOver) {
      await sendRequest(key, 'GET', '/healthz');
      if (answered === 0) answeredMeanwhile += 1;
      most = Math.max(most, await readMemory(switchboard.rest.pid));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => upload(key, ...video).finally(() => (answered += 1))),
  );
  isOver = true;
  await watching;
  for (const { status, json } of answers) {
    expect([status, json['code']]).toEqual([422, 'media.unreadable']);
    expect(json['detail']).toContain('16 MiB');
  }
  // The measurement includes the buffers of six uploads in transit.
  expect(most - before).toBeLessThan(200);
  // `inspect-video.test.ts` shows that the index is not read at all.
  expect(answeredMeanwhile).toBeGreaterThan(0);
});

test('at most fifty URLs of a workspace wait, over all processes, and slow servers delay no other workspace', async () => {
  const [busy, other] = [await createTenant('slow servers'), await createTenant('a quick server')];
  // A replica has its own data directory and therefore a different media store: it accepts URLs and fetches
  // none.
  const replica = await switchboard.startReplica({ SWITCHBOARD_ROLES: 'http' });
  const asked = await Promise.all(
    Array.from({ length: 60 }, (_, nth) =>
      fetched(busy, `silent/${nth}`, nth % 2 === 0 ? switchboard.url : replica.url),
    ),
  );
  const statuses = asked.map(({ status }) => status).sort();
  expect(statuses).toEqual([...Array<number>(50).fill(201), ...Array<number>(10).fill(429)]);
  const no = asked.find(({ status }) => status === 429);
  expect(no?.json).toMatchObject({ code: 'rate_limit.exceeded', retry_after_seconds: 30 });
  expect(no?.headers['retry-after']).toBe('30');
  const draft = { text: 'One more', draft: true, media: [{ url: `${webUrl}/silent/more` }] };
  expect(await post(busy, '/v1/social/posts', draft)).toMatchObject({
    status: 429,
    json: { code: 'rate_limit.exceeded' },
  });
  expect(await library(busy)).toHaveLength(50);

  const { json } = await fetched(other, 'quick.png');
  await eventually('the media is ready', async () => {
    const media = await sendRequest(other, 'GET', `/v1/social/media/${asText(json['id'])}`);
    return media.json['status'] === 'ready' ? media : null;
  });
  const { text: metrics } = await sendRequest(other, 'GET', '/metrics');
  expect(metrics).toMatch(/switchboard_media_queue_items\{queue="download",state="unfinished"\} 50/);
  expect(metrics).toMatch(/switchboard_media_queue_items\{queue="decode",state="waiting"\} 0/);
  expect(metrics).toMatch(/switchboard_media_queue_wait_seconds_count\{queue="decode"\} [1-9]/);
  await replica.server.stop();
});

test('a process stopped during uploads has stored exactly what it confirmed', async () => {
  const key = await createTenant('stopped');
  const large = await largePng(3000);
  const before = await stored();
  const answers: number[] = [];
  const uploads = Array.from({ length: 20 }, () =>
    upload(key, large).then(
      ({ status }) => answers.push(status),
      () => undefined,
    ),
  );
  await Promise.race(uploads);
  const ended = await switchboard.rest.stop();
  await Promise.all(uploads);
  expect(ended).toEqual({ code: 0, signal: null });
  const kept = answers.filter((status) => status === 201).length;
  for (const status of answers) expect([201, 503]).toContain(status);
  expect(switchboard.logs()).not.toMatch(/unhandled|UnhandledPromise/i);
  await switchboard.restartRest();
  const ready = (await library(key)).filter(({ status }) => status === 'ready');
  // A file whose response was lost in transit may be stored; a confirmed file must be.
  expect(ready.length).toBeGreaterThanOrEqual(kept);
  expect(await stored()).toBeGreaterThanOrEqual(before + kept);
  expect((await upload(key, servedFile)).status).toBe(201);
});
