import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { connectAccount, refundableOrders } from '../support/sandbox-store.js';
import { asObject, asObjects, asText, type JsonObject } from '../support/json.js';
import { restClient } from '../support/rest-client.js';
import { sandboxControl } from '../support/sandbox-control.js';
import { startSwitchboard, type SwitchboardProcesses } from '../support/start-switchboard.js';
import { buildTestWorld, createMissedPost } from '../support/test-world.js';
import { readApiDocument, type ApiOperation } from './api-document.js';
import { buildRequest, type BuiltRequest, type HttpRequest } from './build-request.js';
import { knownValues, type KnownValues } from './known-values.js';
import { requestArbitrary, type RequestPlan } from './request-arbitrary.js';
import { responseValidator, type Violation } from './response-validator.js';
import { createSender, type HttpResponse } from './send-request.js';

export interface FuzzOptions {
  /** Selects the requests; IDs and times differ between runs. */
  readonly seed: number;
  readonly requests: number;
  /** The number of the first request: a single request is repeated as `from`, with `requests: 1`. */
  readonly from?: number | undefined;
  readonly databaseUrl?: string | undefined;
  readonly log: (line: string) => void;
}

export interface FuzzFinding extends Violation {
  readonly number: number;
  readonly operation: string;
  readonly mutations: RequestPlan['mutations'];
  readonly request: string;
  readonly response: string;
}

export interface FuzzReport {
  readonly seed: number;
  readonly requests: number;
  readonly findings: readonly FuzzFinding[];
  /** The number of responses by operation and status. */
  readonly coverage: ReadonlyMap<string, ReadonlyMap<number, number>>;
  /** Documented 502 and 503 while a sandbox platform was made to fail. */
  readonly platformFailures: number;
  /** Bodies that the document allows and the service rejects as invalid, by operation and field. */
  readonly rejectedBodies: ReadonlyMap<string, number>;
  /** The memory of the service after a tenth of the requests, and at the end; null where it is unknown. */
  readonly residentMib: readonly [early: number, end: number] | null;
}

/** The last tenth of the requests is sent while the sandbox fails. */
const HEALTHY_SHARE = 0.9;
const LOGGED_EVERY = 1000;
const MAINTAINED_EVERY = 100;
/** A missed post takes a second to create. */
const MISSED_EVERY = 1000;
const SHOWN_CHARS = 1500;
const WEEK_MS = 7 * 86_400_000;
const FAULTS = ['500-before', '500-after', 'reset-before-effect', 'garbage', '429', '2xx-truncated'] as const;
const ACCOUNTS = { sandbox_social: 'maren-holt', sandbox_store: 'alder-oak' } as const;

/** Sends generated requests to a separate installation and validates every response against its document. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  const switchboard = await startSwitchboard({
    name: 'fuzz',
    databaseUrl: options.databaseUrl,
    env: { LOG_LEVEL: 'warn' },
  });
  try {
    return await fuzz(switchboard, options);
  } finally {
    await switchboard.stop();
  }
}

async function fuzz(
  switchboard: SwitchboardProcesses,
  { seed, requests, from = 0, log }: FuzzOptions,
): Promise<FuzzReport> {
  const { url, keys, sandboxUrl } = switchboard;
  const document = readApiDocument((await (await fetch(`${url}/openapi.json`)).json()) as JsonObject);
  const validator = responseValidator(document);
  const sandbox = sandboxControl(sandboxUrl);
  const { known, platforms, maintain } = await openWorld(switchboard);
  const context = { document: document.json, platforms, now: new Date() };
  const arbitraries = document.operations.map((operation) => requestArbitrary(context, operation));
  const sender = createSender(url);
  const findings: FuzzFinding[] = [];
  const coverage = new Map(document.operations.map(({ id }) => [id, new Map<number, number>()]));
  const rejectedBodies = new Map<string, number>();
  let platformFailures = 0;
  let early: number | null = null;

  for (let index = 0; index < requests; index += 1) {
    const number = from + index;
    if (index > 0 && index % LOGGED_EVERY === 0) log(`${index} requests, ${findings.length} findings`);
    if (index % MAINTAINED_EVERY === 0) await maintain(index % MISSED_EVERY === 0);
    if (index === Math.floor(requests / 10)) early = await readResidentMib(switchboard.rest.pid);
    const arbitrary = arbitraries[number % arbitraries.length];
    if (!arbitrary) break;
    const [plan] = fc.sample(arbitrary, { seed: seed * 1_000_003 + number, numRuns: 1 });
    if (!plan) break;
    const request = buildRequest(plan, {
      document,
      known,
      key: keys.full,
      otherKeys: [keys.agent, '', 'swb_malformed', `swb_${'0'.repeat(61)}`],
      newIdempotencyKey: `fuzz-${seed}-${number}`,
    });
    const mayFail = index >= requests * HEALTHY_SHARE;
    if (mayFail) {
      const platform = number % 2 === 0 ? 'social' : 'store';
      await sandbox.fault({
        platform,
        kind: FAULTS[number % FAULTS.length] ?? '429',
        times: 2,
        retry_after: 1,
      });
    }
    const record = (violation: Violation, response: string) =>
      findings.push({
        ...violation,
        number,
        operation: plan.operation.id,
        mutations: plan.mutations,
        request: describeRequest(request.http),
        response,
      });
    let response: HttpResponse;
    try {
      response = await sender.send(request.http);
    } catch (error) {
      record({ kind: 'server error', message: `no response: ${String(error)}` }, '');
      continue;
    } finally {
      if (mayFail) await sandbox.clearFaults();
    }
    const violations = validator.validate(plan.operation, request, response, { mayFail });
    for (const violation of violations) {
      record(violation, describeResponse(response));
      log(`${number} ${plan.operation.id}: ${violation.kind}: ${violation.message}`);
    }
    if (response.status >= 502 && violations.length === 0) platformFailures += 1;
    const statuses = coverage.get(plan.operation.id);
    statuses?.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    if (response.status === 400 && validator.allowsBody(plan.operation, request) === true)
      for (const field of rejectedFields(plan.operation, response))
        rejectedBodies.set(field, (rejectedBodies.get(field) ?? 0) + 1);
    learn(known, plan.operation, request, response);
  }
  const end = await readResidentMib(switchboard.rest.pid);
  sender.close();
  return {
    seed,
    requests,
    findings,
    coverage,
    platformFailures,
    rejectedBodies,
    residentMib: early === null || end === null ? null : [early, end],
  };
}

/** What exists at the start, and what keeps existing while requests delete it. */
async function openWorld(switchboard: SwitchboardProcesses) {
  const { url, keys } = switchboard;
  const client = restClient(url, keys.full);
  const { data } = await client.expect(200, 'GET', '/keys');
  const ownKeys = new Set(asObjects(data).map(({ id }) => asText(id)));
  const listed = await client.expect(200, 'GET', '/platforms');
  const platforms = asObjects(listed['data']).map(({ id }) => asText(id));
  const known = knownValues<HttpRequest>(platforms, ownKeys);
  const world = await buildTestWorld(url, keys.full, {
    social: ACCOUNTS.sandbox_social,
    store: ACCOUNTS.sandbox_store,
  });
  known.addFrom(JSON.stringify(world));
  const { profile } = world;
  known.maintain('prf', [profile]);
  known.maintain('platform', ['sandbox_social', 'sandbox_social', 'sandbox_store', 'x']);
  const maintain = async (withMissed: boolean) => {
    const [social, store] = await maintainConnections();
    known.maintain('con', [social, store]);
    const [order] = await refundableOrders(client, store);
    if (order) {
      const quote = { body: { amount: '0.01' } };
      const path = `/ecommerce/orders/${order.id}/refund/quote`;
      known.maintain('ord', [order.id]);
      known.maintain('quo', [asText((await client.expect(201, 'POST', path, quote))['id'])]);
    }
    const createPost = async (more: JsonObject) => {
      const targets = [{ connection_id: social }];
      const body = { profile_id: profile, text: 'Maintained', targets, allow_duplicate: true, ...more };
      const created = await client.expect(201, 'POST', '/social/posts', { body });
      return asText(created['id']);
    };
    const scheduledAt = new Date(Date.now() + WEEK_MS).toISOString();
    known.maintain('pst', [
      await createPost({ scheduled_at: scheduledAt }),
      await createPost({ draft: true }),
      ...(withMissed ? [await createMissedPost({ ...world, social })] : []),
    ]);
  };
  const maintainConnections = async () => {
    const ids: string[] = [];
    for (const platform of ['sandbox_social', 'sandbox_store'] as const) {
      const { data: connections } = await client.expect(200, 'GET', '/connections', {
        query: { platform, status: 'active', profile_id: profile },
      });
      let [id] = asObjects(connections).map((connection) => asText(connection['id']));
      if (id === undefined) {
        // An invented app would be used for the next connection.
        for (const query of ['', `?profile_id=${profile}`])
          await client.sendRequest('DELETE', `/platforms/${platform}/app${query}`);
        id = await connectAccount(client, platform, ACCOUNTS[platform], profile);
      }
      ids.push(id);
    }
    return ids as [social: string, store: string];
  };
  return { known, platforms, maintain };
}

/** Remembers IDs, keys, ETags, cursors and idempotency keys for later requests. */
function learn(
  known: KnownValues<HttpRequest>,
  { id }: ApiOperation,
  { http, query, idempotencyKey }: BuiltRequest,
  { status, headers, text }: HttpResponse,
): void {
  if (status >= 400) return;
  known.addFrom(text);
  if (headers.etag !== undefined) known.etags.set(http.path.split('?', 1).join(), headers.etag);
  if (idempotencyKey !== null) known.keyed.set(id, { key: idempotencyKey, request: http });
  const isJson = /\bjson\b/.test(headers['content-type'] ?? '');
  const json = isJson ? (JSON.parse(text) as JsonObject) : {};
  if (typeof json['next_cursor'] === 'string') known.cursors.set(id, { cursor: json['next_cursor'], query });
  if (typeof json['secret'] === 'string') known.add('secret', json['secret']);
}

function rejectedFields({ id }: ApiOperation, { text }: HttpResponse): readonly string[] {
  const { code, errors } = asObject(JSON.parse(text));
  if (code !== 'request.invalid') return [];
  return asObjects(errors ?? []).map(
    ({ path, code: reason, message }) =>
      `${id} ${asText(path).replace(/\d+/g, 'n')}: ${asText(reason)} ${asText(message)}`,
  );
}

function describeRequest({ method, path, headers, body }: HttpRequest): string {
  const shown = Object.entries(headers)
    .filter(([name]) => name !== 'authorization' && name !== 'content-length')
    .map(([name, value]) => `${name}: ${value}`);
  return cut([`${method} ${path}`, ...shown, ...(body ? ['', body.toString()] : [])].join('\n'));
}

const describeResponse = ({ status, headers, text }: HttpResponse): string =>
  cut(`${status} ${JSON.stringify(headers)}\n\n${text}`);

const cut = (text: string) => (text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text);

/** Only Linux has this file. */
async function readResidentMib(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  return kib === undefined ? null : Math.round(Number(kib) / 1024);
}
