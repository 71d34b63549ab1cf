import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from './support/eventually.js';
import { startFileServer, type FileServer } from './support/file-server.js';
import { asText } from './support/json.js';
import { largePng } from './support/large-png.js';
import { startMailServer, type MailServer } from './support/mail-server.js';
import { programs } from './support/programs.js';
import { startRecordingProxy, type RecordingProxy } from './support/recording-proxy.js';
import { restClient, type RestClient } from './support/rest-client.js';
import { sandboxControl } from './support/sandbox-control.js';
import { connectAccount } from './support/sandbox-store.js';
import { serveWithReplicas, type SwitchboardWithReplicas } from './support/serve-switchboard.js';
import { startTraceCollector, type CollectedSpan, type TraceCollector } from './support/trace-collector.js';
import { startWebhookReceiver, type WebhookReceiver } from './support/webhook-receiver.js';

const SANDBOX_APP = { id: 'switchboard-sandbox', real: 'switchboard-sandbox-secret' };
const TEXT = 'Only the followers should read this text';
const [SERVER, CLIENT, CONSUMER] = [2, 3, 5];

let collector: TraceCollector;
let receiver: WebhookReceiver;
let mails: MailServer;
let files: FileServer;
let platform: RecordingProxy;
let switchboard: SwitchboardWithReplicas;
let client: RestClient;
let connection: string;
beforeAll(async () => {
  collector = await startTraceCollector();
  receiver = await startWebhookReceiver();
  mails = await startMailServer();
  files = await startFileServer();
  platform = await startRecordingProxy({
    name: 'social',
    client: { ...SANDBOX_APP, given: SANDBOX_APP.real },
  });
  switchboard = await serveWithReplicas({
    name: 'tracing',
    mcp: true,
    env: {
      SWITCHBOARD_SMTP_URL: mails.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=a%20b',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      SWITCHBOARD_SANDBOX_SOCIAL_BASE_URL: platform.url,
      SWITCHBOARD_SANDBOX_SOCIAL_CLIENT_ID: SANDBOX_APP.id,
      SWITCHBOARD_SANDBOX_SOCIAL_CLIENT_SECRET: SANDBOX_APP.real,
      SWITCHBOARD_ALLOW_PRIVATE_HOSTS: [receiver.host, files.host, new URL(platform.url).host].join(','),
    },
  });
  platform.setTarget(switchboard.sandboxUrl);
  client = restClient(switchboard.url, switchboard.keys.full);
  connection = await connectAccount(client, 'sandbox_social', 'maren-holt');
  const body = { url: `${receiver.url}/hook`, events: ['post.published'] };
  await client.expect(201, 'POST', '/webhooks', { body });
});
afterAll(async () => {
  await switchboard?.stop();
  await Promise.all([platform, receiver, mails, files, collector].map((each) => each?.close()));
});

const traceId = (digit: string) => digit.repeat(32);
const callerSpan = 'b'.repeat(16);
const traceparent = (digit: string, flags = '01') => `00-${traceId(digit)}-${callerSpan}-${flags}`;

/** The spans of a trace, when there is one that matches. */
const spansWith = (digit: string, name: string) =>
  eventually(`the trace ${digit} has ${name}`, async () => {
    const found = collector.spans.filter((span) => span.traceId === traceId(digit));
    return found.some((span) => span.name === name) ? found : null;
  });
const one = (spans: readonly CollectedSpan[], matches: (span: CollectedSpan) => boolean) => {
  const [found] = spans.filter(matches);
  if (!found) throw new Error(`not among ${JSON.stringify(spans.map(({ name }) => name))}`);
  return found;
};

describe('a post of a caller with a trace', () => {
  let spans: readonly CollectedSpan[];
  let requestId: string;
  beforeAll(async () => {
    const response = await client.sendRequest('POST', '/social/posts', {
      body: { text: TEXT, targets: [{ connection_id: connection }] },
      headers: { traceparent: traceparent('a'), tracestate: 'vendor=1' },
    });
    expect(response.status).toBe(201);
    requestId = response.headers.get('x-request-id') ?? '';
    spans = await spansWith('a', 'POST webhook');
  });

  test('is one trace from the request over SQL and the job to the platform and the webhook', () => {
    const request = one(spans, ({ kind }) => kind === SERVER);
    expect(request).toMatchObject({
      name: 'POST /v1/social/posts',
      parentSpanId: callerSpan,
      attributes: {
        'switchboard.request_id': requestId,
        'switchboard.operation': 'createPost',
        'switchboard.outcome': 'ok',
        'http.response.status_code': 201,
      },
      service: {
        'service.name': 'switchboard',
        'switchboard.app': 'rest',
        'deployment.environment.name': 'test',
      },
    });
    const statements = spans.filter(({ attributes }) => attributes['db.system.name'] === 'postgresql');
    const ofRequest = statements.filter(({ parentSpanId }) => parentSpanId === request.spanId);
    expect(ofRequest.map(({ attributes }) => attributes['db.query.text'])).toContainEqual(
      expect.stringContaining('INSERT INTO deliveries'),
    );
    const job = one(spans, ({ kind, name }) => kind === CONSUMER && name === 'deliver');
    expect(job).toMatchObject({
      parentSpanId: request.spanId,
      attributes: { 'switchboard.platform': 'sandbox_social', 'switchboard.outcome': 'published' },
    });
    expect(
      one(spans, ({ parentSpanId, name }) => parentSpanId === job.spanId && name === 'POST'),
    ).toMatchObject({
      kind: CLIENT,
      attributes: {
        'http.request.method': 'POST',
        'server.address': new URL(platform.url).host,
        'switchboard.platform': 'sandbox_social',
      },
    });
    expect(one(spans, ({ name }) => name === 'POST webhook')).toMatchObject({
      kind: CLIENT,
      parentSpanId: request.spanId,
      attributes: { 'http.response.status_code': 204 },
    });
    expect(collector.headers()).toMatchObject({ 'x-tenant': 'a b' });
  });

  test('reaches the webhook with the trace, and the platform without it', () => {
    const webhook = one(spans, ({ name }) => name === 'POST webhook');
    const [received] = receiver.requests.filter(({ event }) => event.type === 'post.published');
    expect(received?.headers['traceparent']).toBe(`00-${traceId('a')}-${webhook.spanId}-01`);
    expect(platform.requests.some(({ body }) => body.includes(TEXT))).toBe(true);
    for (const { headers } of platform.requests) {
      for (const name of ['traceparent', 'tracestate', 'baggage', 'b3'])
        expect(headers).not.toHaveProperty(name);
    }
  });

  test('names the trace in its log line', async () => {
    const request = one(spans, ({ kind }) => kind === SERVER);
    const line = await eventually('the log has the call', async () => {
      const lines = switchboard
        .logs()
        .split('\n')
        .filter((text) => text.includes(requestId));
      return lines.find((text) => text.includes('"call"')) ?? null;
    });
    expect(JSON.parse(line)).toMatchObject({ trace_id: traceId('a'), span_id: request.spanId });
  });

  test('puts neither secrets nor contents into spans', () => {
    const received = collector.received();
    for (const secret of [TEXT, switchboard.keys.full, SANDBOX_APP.real, ...platform.secrets.values()])
      expect(received.includes(secret)).toBe(false);
  });
});

test('a scheduled post is published in the trace of its call, by whichever process', async () => {
  const response = await client.sendRequest('POST', '/social/posts', {
    body: {
      text: 'Later',
      targets: [{ connection_id: connection }],
      scheduled_at: new Date(Date.now() + 3000).toISOString(),
    },
    headers: { traceparent: traceparent('c') },
  });
  expect(response.status).toBe(201);
  const spans = await spansWith('c', 'deliver');
  const request = one(spans, ({ kind }) => kind === SERVER);
  expect(one(spans, ({ name }) => name === 'deliver').parentSpanId).toBe(request.spanId);
});

test('a call over MCP continues the trace of its caller', async () => {
  await fetch(switchboard.mcpUrl, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${switchboard.keys.full}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      traceparent: traceparent('d'),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'whoami' } }),
  });
  const spans = await spansWith('d', 'tools/call whoami');
  expect(one(spans, ({ kind }) => kind === SERVER)).toMatchObject({
    kind: SERVER,
    parentSpanId: callerSpan,
    attributes: { 'switchboard.surface': 'mcp', 'switchboard.outcome': 'ok' },
    service: { 'switchboard.app': 'mcp-http' },
  });
});

test.each([
  ['no trace', undefined],
  ['a malformed one', '00-nonsense'],
  ['one of only zeros', `00-${'0'.repeat(32)}-${'0'.repeat(16)}-01`],
  ['one in capitals', traceparent('A')],
])('a caller with %s begins a new trace', async (_what, sent) => {
  const response = await client.sendRequest('GET', '/me', { headers: sent ? { traceparent: sent } : {} });
  const requestId = response.headers.get('x-request-id');
  const span = await eventually('the call is traced', async () => {
    return (
      collector.spans.find(({ attributes }) => attributes['switchboard.request_id'] === requestId) ?? null
    );
  });
  expect(span).toMatchObject({ name: 'GET /v1/me', parentSpanId: '' });
  expect(span.traceId).toMatch(/^(?!0{32})[0-9a-f]{32}$/);
});

test('a caller that does not record its trace has none recorded here', async () => {
  await client.sendRequest('GET', '/me', { headers: { traceparent: traceparent('e', '00') } });
  await client.sendRequest('GET', '/me', { headers: { traceparent: traceparent('f') } });
  await spansWith('f', 'GET /v1/me');
  expect(collector.spans.filter(({ traceId: id }) => id === traceId('e'))).toEqual([]);
});

test('a call outlives an unreachable collector, and so does the process', async () => {
  const replica = await switchboard.startReplica({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
  const other = restClient(replica.url, switchboard.keys.full);
  for (let nth = 0; nth < 20; nth++) expect((await other.get('/me')).status).toBe(200);
  expect(await replica.server.stop()).toMatchObject({ code: 0 });
});

test('a hosted page is traced by its route, without the secret of its link', async () => {
  const session = await client.expect(201, 'POST', '/connect/url', {
    body: { platform: 'sandbox_social' },
  });
  const link = asText(session['url']);
  await fetch(link, { headers: { traceparent: traceparent('1') } });
  const spans = await spansWith('1', 'GET page');
  const page = one(spans, ({ name }) => name === 'GET page');
  expect(page).toMatchObject({
    kind: SERVER,
    parentSpanId: callerSpan,
    attributes: { 'http.route': expect.stringMatching(/^\/connect\/:/), 'http.response.status_code': 200 },
  });
  expect(spans.some(({ parentSpanId }) => parentSpanId === page.spanId)).toBe(true);
  expect(collector.received()).not.toContain(link.split('/').at(-1));
});

test('a download of media is traced by its host', async () => {
  const { url } = files.put('secret-name.png', await largePng(64));
  await client.expect(201, 'POST', '/social/posts', {
    body: { text: 'With an image', media: [{ url }], targets: [{ connection_id: connection }] },
  });
  const span = await eventually(
    'the download is traced',
    async () => collector.spans.find(({ name }) => name === 'GET media') ?? null,
  );
  expect(span).toMatchObject({ kind: CLIENT, attributes: { 'server.address': files.host } });
  expect(collector.received()).not.toContain('secret-name');
});

test('an e-mail is traced, without its addresses', async () => {
  await client.expect(200, 'PATCH', '/workspace', { body: { notify_emails: ['team@lumen.example'] } });
  const account = await connectAccount(client, 'sandbox_social', 'tidal-museum');
  await sandboxControl(switchboard.sandboxUrl).revokeGrants('tidal-museum');
  await client.expect(201, 'POST', '/social/posts', {
    body: { text: 'Is refused', targets: [{ connection_id: account }] },
  });
  const span = await eventually(
    'the e-mail is traced',
    async () => collector.spans.find(({ name }) => name === 'send e-mail') ?? null,
  );
  expect(span).toMatchObject({ kind: CLIENT, parentSpanId: '' });
  expect(collector.received()).not.toContain('lumen.example');
});

test('the programs load the libraries for traces only when they are used', async () => {
  for (const program of [programs.rest, programs.mcpHttp, programs.cli]) {
    const bundle = await readFile(program.replace(/\.js$/, '.cjs'), 'utf8');
    expect(bundle).not.toMatch(/BatchSpanProcessor|W3CTraceContextPropagator/);
    const separate = await readFile(path.join(path.dirname(program), 'open-tracing.cjs'), 'utf8');
    expect(separate).toContain('BatchSpanProcessor');
  }
});
