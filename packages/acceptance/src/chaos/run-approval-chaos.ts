import { setTimeout as sleep } from 'node:timers/promises';
import { formatAmount } from '@switchboard/domain';
import { seededRandom, type LedgerEntry } from '@switchboard/sandbox';
import { queryRows } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { asObject, asObjects, asText, type JsonObject } from '../support/json.js';
import type { RestClient, RestResponse } from '../support/rest-client.js';
import { connectAccount } from '../support/sandbox-store.js';
import {
  checkApprovalInvariants,
  type ApprovalView,
  type ApprovedEffect,
  type DecisionResponse,
  type FinalReservations,
  type RecordedApproval,
  type RecordedSubject,
} from './approval-invariants.js';
import {
  createApprovalPlan,
  DECIDERS,
  EXPIRY_MS,
  type PlannedAct,
  type PlannedSubject,
} from './approvals-plan.js';
import { countBy } from './count-by.js';
import type { RefundableOrder } from './refunds-plan.js';
import { startFleetInstallation, type FleetInstallation } from './start-fleet-installation.js';
import {
  countOrdersOfEachShop,
  listRefundableOrders,
  parseMinor,
  STORE,
} from './start-refund-chaos-environment.js';

export interface ApprovalChaosOptions {
  readonly name: string;
  readonly seed: number;
  /** A separate database instead of one on the test server. */
  readonly databaseUrl?: string | undefined;
  /** Posts and refunds that wait for an approval. Edits and retries request further ones. */
  readonly subjects: number;
  readonly processes: number;
  readonly killEveryMs: number;
  readonly killsMax: number;
  readonly subjectsAtOnce: number;
  /**
   * Whether no caller waits for what a killed process left: posts and refunds are requested from a process that is
   * not killed, so that no idempotency key stays claimed, and what is unknown is looked up at once.
   */
  readonly skipsWaiting: boolean;
  readonly log: (line: string) => void;
  readonly onOutput?: (text: string) => void;
}

export interface ApprovalChaosOutcome {
  readonly seed: number;
  readonly approvals: Readonly<Record<string, number>>;
  readonly effects: Readonly<Record<string, number>>;
  readonly decisions: Readonly<Record<string, number>>;
  readonly acts: Readonly<Record<string, number>>;
  readonly kills: number;
  readonly seconds: number;
  readonly seconds_to_settle: number;
  readonly broken: readonly string[];
}

const ACCOUNTS = ['maren-holt', 'lumen-coffee'];
const RETRY_PAUSE_MS = 100;
/**
 * Only a fault takes this long. An idempotency key that a killed process claimed is free after a minute; on a busy
 * machine a request takes seconds, so that several attempts are killed.
 */
const RETRY_UNTIL_MS = 1_800_000;
const SETTLE_MAX_MS = 300_000;
/**
 * A killed process takes its leased share of the key's rate limit with it, and one that has just started may not
 * reach the shared counter yet.
 */
const RETRYABLE_CODES = ['idempotency.in_progress', 'rate_limit.exceeded', 'service.unavailable'];
const REQUESTER_SCOPES = ['posts:write', 'orders:read', 'refunds:write', 'approvals:write', 'keys:admin'];
const DECIDER_SCOPES = ['posts:read', 'orders:read', 'approvals:write'];

/**
 * Requests approvals for posts and refunds, and lets several callers decide, edit, cancel and retry each of them at
 * once through processes that are killed, while others expire. Then compares what the platforms did with what the
 * deciders were shown.
 */
export async function runApprovalChaos(options: ApprovalChaosOptions): Promise<ApprovalChaosOutcome> {
  const { name, databaseUrl, subjects, processes, log, onOutput = () => undefined } = options;
  const startedMs = Date.now();
  const installation = await startFleetInstallation({
    name,
    databaseUrl,
    ordersOfEachShop: countOrdersOfEachShop(subjects / 2),
    processes,
    onOutput,
  });
  try {
    const scene = await prepareScene(installation, subjects);
    log(`${subjects} posts and refunds.`);
    const quiet = new AbortController();
    const killing = killPeriodically(installation, options, quiet.signal);
    const waiting = Array.from({ length: subjects }, (_, index) => index);
    const worker = async () => {
      for (let index = waiting.shift(); index !== undefined; index = waiting.shift()) {
        await actOnSubject(scene, options, index);
        if (waiting.length > 0 && waiting.length % 50 === 0) log(`${waiting.length} left.`);
      }
    };
    await Promise.all(Array.from({ length: options.subjectsAtOnce }, worker));
    quiet.abort();
    const kills = await killing;
    await installation.fleet.waitUntilRunning();
    log('Quiet.');
    const quietMs = Date.now();
    await decideTheRest(scene);
    await waitUntilSettled(scene, options).catch((error: Error) => log(error.message));
    const settledMs = Date.now();
    const approvals = await readApprovals(scene);
    const effects = readEffects(scene);
    const seconds = (fromMs: number, toMs: number) => Math.round((toMs - fromMs) / 1000);
    const { views, decisions, acts, failures } = scene.heard;
    return {
      seed: options.seed,
      approvals: countBy(approvals, ({ status }) => status),
      effects: countBy(effects, ({ subject }) => subject.slice(0, 3)),
      decisions: countBy(decisions, ({ verb, code, status }) => `${verb} ${code ?? status}`),
      acts: countBy(acts, (one) => one),
      kills,
      seconds: seconds(startedMs, Date.now()),
      seconds_to_settle: seconds(quietMs, settledMs),
      broken: [
        ...failures,
        ...checkApprovalInvariants({
          views,
          decisions,
          approvals,
          effects,
          subjects: await readSubjects(scene),
          reservations: await readReservations(scene),
        }),
      ],
    };
  } finally {
    await installation.close();
  }
}

interface Requester {
  readonly id: string;
  readonly token: string;
  /** The token of a key that it created, with the scope to decide. */
  readonly child: string;
}

interface ApprovalScene {
  readonly installation: FleetInstallation;
  readonly connections: readonly string[];
  readonly orders: readonly RefundableOrder[];
  /** Its approvals last for the whole run. */
  readonly lasting: Requester;
  readonly expiring: Requester;
  readonly deciders: readonly string[];
  /** What the callers received. */
  readonly heard: {
    readonly views: ApprovalView[];
    readonly decisions: DecisionResponse[];
    readonly acts: string[];
    /** Responses that no caller may receive. */
    readonly failures: string[];
  };
}

async function prepareScene(installation: FleetInstallation, subjects: number): Promise<ApprovalScene> {
  const { observer, clientOf, databaseUrl } = installation;
  // The shortest time of a policy is an hour.
  await queryRows(
    databaseUrl,
    `CREATE FUNCTION expire_soon() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN
       IF NEW.expires_at = NEW.requested_at + interval '1 hour' THEN
         NEW.expires_at := NEW.requested_at + interval '${EXPIRY_MS} milliseconds';
       END IF;
       RETURN NEW;
     END $$;
     CREATE TRIGGER expire_soon BEFORE INSERT ON approvals FOR EACH ROW EXECUTE FUNCTION expire_soon();`,
  );
  const connections: string[] = [];
  for (const account of ACCOUNTS) connections.push(await connectAccount(observer, 'sandbox_social', account));
  const store = await connectAccount(observer, 'sandbox_store', STORE);
  const orders = (await listRefundableOrders(observer, store)).slice(0, Math.floor(subjects / 2));
  if (orders.length < Math.floor(subjects / 2)) throw new Error(`the store has only ${orders.length} orders`);

  const captured = new Map<string, number>();
  for (const { currency, capturedMinor } of orders)
    captured.set(currency, (captured.get(currency) ?? 0) + capturedMinor);
  const ceilings = [...captured].map(([currency, amountMinor]) => {
    const amount = formatAmount({ amountMinor, currency });
    return { currency, per_refund: amount, per_day: amount };
  });
  const createKey = (by: RestClient, scopes: readonly string[], policy: object = {}) =>
    by.expect(201, 'POST', '/keys', { body: { name: 'chaos', scopes, policy } });
  const createRequester = async (expiresInHours: number): Promise<Requester> => {
    const policy = {
      refund_ceilings: ceilings,
      approval: {
        posts: 'always',
        refunds_over: [{ currency: 'EUR', amount: '0.01' }],
        expires_in_hours: expiresInHours,
      },
    };
    const key = await createKey(observer, REQUESTER_SCOPES, policy);
    const token = asText(key['secret']);
    const child = await createKey(clientOf(token), REQUESTER_SCOPES, policy);
    return { id: asText(key['id']), token, child: asText(child['secret']) };
  };
  const createDecider = async () => asText((await createKey(observer, DECIDER_SCOPES))['secret']);
  return {
    installation,
    connections,
    orders,
    lasting: await createRequester(168),
    expiring: await createRequester(1),
    deciders: await Promise.all(Array.from({ length: DECIDERS }, createDecider)),
    heard: { views: [], decisions: [], acts: [], failures: [] },
  };
}

/**
 * A caller that sends its request again, to the next process, until it receives a definite response. `first` is
 * null for the process that is not killed.
 */
async function sendUntilAnswered(
  { installation, heard }: ApprovalScene,
  token: string,
  first: number | null,
  send: (client: RestClient) => Promise<RestResponse>,
): Promise<RestResponse | null> {
  const clients = first === null ? [installation.clientOf(token)] : installation.clients(token);
  const untilMs = Date.now() + RETRY_UNTIL_MS;
  let last: unknown = 'a lost connection';
  for (let at = first ?? 0; Date.now() < untilMs; at += 1) {
    const response = await send(clients[at % clients.length] as RestClient).catch(() => null);
    if (response) last = response.json['code'];
    if (response && !RETRYABLE_CODES.includes(String(response.json['code']))) {
      if (response.status >= 500) heard.failures.push(`received ${response.status}: ${response.text}`);
      return response;
    }
    await sleep(RETRY_PAUSE_MS);
  }
  heard.failures.push(`a caller received no response but ${String(last)}`);
  return null;
}

/** Records what the representation of a post or refund that waits shows for its approval; returns the approval. */
function recordView({ heard, orders }: ApprovalScene, shown: JsonObject): string | null {
  const approval = shown['approval'] as JsonObject | null | undefined;
  if (!approval) return null;
  const id = asText(approval['id']);
  if (shown['status'] !== 'awaiting_approval' || approval['status'] !== 'pending') return id;
  heard.views.push(
    'order_id' in shown
      ? { approval: id, content: describeRefund(orders, shown), scheduledAt: null }
      : { approval: id, content: asText(shown['text']), scheduledAt: asText(shown['scheduled_at']) },
  );
  return id;
}

/** As the store's ledger describes it: the store's own ID of the order and the amount. */
const describeRefund = (orders: ApprovalScene['orders'], { order_id, amount }: JsonObject): string =>
  `${orders.find(({ id }) => id === order_id)?.externalId} ${parseMinor(amount)}`;

interface LiveSubject {
  readonly plan: PlannedSubject;
  readonly path: string;
  readonly text: string;
  readonly deliveries: readonly string[];
  readonly requester: Requester;
  readonly refund: { readonly path: string; readonly body: JsonObject } | null;
}

async function actOnSubject(
  scene: ApprovalScene,
  { seed, processes, skipsWaiting }: ApprovalChaosOptions,
  index: number,
): Promise<void> {
  const plan = createApprovalPlan(seed, index, processes);
  const requester = plan.expires ? scene.expiring : scene.lasting;
  const refund = plan.kind === 'refund' ? refundRequest(scene, plan, index) : null;
  const text = `Chaos ${seed}.${index}`;
  const { path, body } = refund ?? { path: '/social/posts', body: postRequest(scene, plan, text) };
  const created = await sendUntilAnswered(
    scene,
    requester.token,
    skipsWaiting ? null : plan.process,
    (client) => client.post(path, body, { 'Idempotency-Key': text }),
  );
  // The first attempts may have taken longer than the time until it is due.
  if (created?.json['code'] === 'post.time_past') {
    scene.heard.acts.push('create post.time_past');
    return;
  }
  if (created?.status !== 201) {
    scene.heard.failures.push(`${text}: received ${created?.status} ${created?.text}`);
    return;
  }
  recordView(scene, created.json);
  const id = asText(created.json['id']);
  const live: LiveSubject = {
    plan,
    text,
    requester,
    refund,
    path: refund ? `/ecommerce/refunds/${id}` : `/social/posts/${id}`,
    deliveries: asObjects(created.json['deliveries'] ?? []).map((delivery) => asText(delivery['id'])),
  };
  await Promise.all(
    plan.callers.map(async ({ process, afterMs, acts }, caller) => {
      await sleep(afterMs);
      for (const [nth, act] of acts.entries())
        await perform(scene, live, { act, process, name: `${caller}.${nth}` });
    }),
  );
}

const postRequest = ({ connections }: ApprovalScene, plan: PlannedSubject, text: string): JsonObject => ({
  text,
  targets: connections
    .slice(0, plan.hasTwoDeliveries ? 2 : 1)
    .map((connection) => ({ connection_id: connection })),
  ...(plan.dueInMs > 0 && { scheduled_at: new Date(Date.now() + plan.dueInMs).toISOString() }),
});

function refundRequest({ orders }: ApprovalScene, { percent }: PlannedSubject, index: number) {
  const order = orders[Math.floor(index / 2)] as RefundableOrder;
  const amountMinor = Math.max(2, Math.floor((order.capturedMinor * percent) / 100));
  return {
    path: `/ecommerce/orders/${order.id}/refund`,
    body: { amount: formatAmount({ amountMinor, currency: order.currency }) },
  };
}

interface NamedAct {
  readonly act: PlannedAct;
  readonly process: number;
  /** Unique within the post or refund. */
  readonly name: string;
}

async function perform(
  scene: ApprovalScene,
  live: LiveSubject,
  { act, process, name }: NamedAct,
): Promise<void> {
  if (act.kind === 'decide') {
    const token = scene.deciders[act.decider] as string;
    return decide(scene, live.path, { token, verb: act.verb, process, isIndependent: true });
  }
  if (act.kind === 'decide alone') {
    const token = act.by === 'child' ? live.requester.child : live.requester.token;
    return decide(scene, live.path, { token, verb: 'approve', process, isIndependent: false });
  }
  const response = await sendUntilAnswered(scene, live.requester.token, process, (client) =>
    change(client, live, act.kind, name),
  );
  if (!response) return;
  recordView(scene, response.json);
  scene.heard.acts.push(
    `${act.kind} ${response.status < 300 ? response.status : asText(response.json['code'])}`,
  );
}

function change(
  client: RestClient,
  { path, text, deliveries, refund }: LiveSubject,
  kind: Exclude<PlannedAct['kind'], 'decide' | 'decide alone'>,
  name: string,
): Promise<RestResponse> {
  switch (kind) {
    case 'edit':
      return client.sendRequest('PATCH', path, { body: { text: `${text}, edited ${name}` } });
    case 'cancel':
      return client.post(`${path}/cancel`);
    case 'cancel a part':
      return client.post(`${path}/cancel`, { delivery_ids: deliveries.slice(0, 1) });
    case 'retry':
      return client.post(`${path}/retry`);
    case 'request again':
      return client.post(refund?.path ?? '', refund?.body);
  }
}

/** Reads what is to be decided, as a person would, and decides about the approval that is shown with it. */
async function decide(
  scene: ApprovalScene,
  path: string,
  {
    token,
    verb,
    process,
    isIndependent,
  }: { token: string; process: number } & Pick<DecisionResponse, 'verb' | 'isIndependent'>,
): Promise<void> {
  const shown = await sendUntilAnswered(scene, token, process, (client) => client.get(path));
  const approval = shown && recordView(scene, shown.json);
  if (!approval) return;
  const note = verb === 'reject' ? { note: 'Not like this.' } : {};
  const response = await sendUntilAnswered(scene, token, process, (client) =>
    client.post(`/approvals/${approval}/${verb}`, note),
  );
  const json = response?.json ?? {};
  const isDecided = response?.status === 200;
  scene.heard.decisions.push({
    approval,
    verb,
    isIndependent,
    status: response?.status ?? 0,
    code: isDecided ? null : asText(json['code']),
    reported: asText(isDecided ? json['status'] : asObject(json['details'] ?? {})['status']),
  });
}

async function killPeriodically(
  { fleet }: FleetInstallation,
  { seed, processes, killEveryMs, killsMax }: ApprovalChaosOptions,
  quiet: AbortSignal,
): Promise<number> {
  const random = seededRandom(`kills ${seed}`);
  let kills = 0;
  while (kills < killsMax && (await sleep(killEveryMs, true, { signal: quiet }).catch(() => false))) {
    // On a busy machine, a process may need longer to start than the time between two kills.
    if (fleet.countRunning() === processes && fleet.kill(random.pick)) kills += 1;
  }
  return kills;
}

/** Approves every other one of those that still wait. */
async function decideTheRest(scene: ApprovalScene): Promise<void> {
  const { databaseUrl } = scene.installation;
  let count = 0;
  await eventually('nothing waits', async () => {
    const pending = await queryRows<{ post: string | null; refund: string | null }>(
      databaseUrl,
      `SELECT post_id AS post, refund_id AS refund FROM approvals WHERE status = 'pending' ORDER BY id`,
    );
    for (const { post, refund } of pending) {
      const path = post === null ? `/ecommerce/refunds/${refund}` : `/social/posts/${post}`;
      const verb = count++ % 2 === 0 ? 'approve' : 'reject';
      await decide(scene, path, {
        token: scene.deciders[0] as string,
        verb,
        process: count,
        isIndependent: true,
      });
    }
    return pending.length === 0 ? true : null;
  });
}

/** Lets the workers settle what they can. */
async function waitUntilSettled(
  { installation: { databaseUrl } }: ApprovalScene,
  { skipsWaiting }: ApprovalChaosOptions,
): Promise<void> {
  const [deliveries, refunds] = [
    `status IN ('awaiting_approval', 'pending', 'sending', 'retrying', 'unknown')`,
    `status IN ('awaiting_approval', 'pending', 'unknown')`,
  ];
  await eventually(
    'everything is settled',
    async () => {
      await sleep(300);
      if (skipsWaiting)
        for (const table of ['deliveries', 'refunds'])
          await queryRows(
            databaseUrl,
            `UPDATE ${table} SET next_attempt_at = now() WHERE next_attempt_at > now() + interval '1 second' AND status IN ('unknown', 'retrying')`,
          );
      const [open] = await queryRows<{ count: number }>(
        databaseUrl,
        `SELECT (SELECT count(*) FROM deliveries WHERE ${deliveries})::int + (SELECT count(*) FROM refunds WHERE ${refunds})::int AS count`,
      );
      return open?.count === 0 ? true : null;
    },
    SETTLE_MAX_MS,
  );
}

const isoTime = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const readApprovals = ({
  installation: { databaseUrl },
}: ApprovalScene): Promise<readonly RecordedApproval[]> =>
  queryRows<RecordedApproval>(
    databaseUrl,
    `SELECT a.id, a.status, ARRAY(SELECT jsonb_object_keys(a.digests)) AS covers,
       ${isoTime('a.requested_at')} AS "requestedAt", ${isoTime('a.decided_at')} AS "decidedAt",
       (SELECT count(*)::int FROM events e WHERE e.type = 'approval.decided' AND e.data->>'approval_id' = a.id) AS "decidedEvents",
       (SELECT count(*)::int FROM audit_rows r WHERE r.object = a.id AND r.action IN ('approveApproval', 'rejectApproval')
          AND r.outcome = 'ok') AS "auditedDecisions",
       NOT EXISTS (SELECT 1 FROM audit_rows r WHERE r.object = a.id AND r.action IN ('approveApproval', 'rejectApproval')
          AND r.outcome = 'ok' AND r.details->'digests' IS DISTINCT FROM a.digests) AS "hasAuditedDigests"
     FROM approvals a`,
  );

const readSubjects = ({
  installation: { databaseUrl },
}: ApprovalScene): Promise<readonly RecordedSubject[]> =>
  queryRows<RecordedSubject>(
    databaseUrl,
    `SELECT id, status, error->>'code' AS "errorCode", account_id AS account FROM deliveries
     UNION ALL
     SELECT id, status, error->>'code', remote_account_id FROM refunds`,
  );

const readEffects = ({ installation: { sandbox } }: ApprovalScene): readonly ApprovedEffect[] => [
  ...sandbox.ledger
    .entries({ effect: 'post.created' })
    .map((entry) => toEffect(entry, asText(entry['text']))),
  ...sandbox.ledger
    .entries({ effect: 'refund.created' })
    .map((entry) => toEffect(entry, `${asText(entry['order_id'])} ${String(entry['amount'])}`)),
];

const toEffect = ({ reference, account, at }: LedgerEntry, content: string): ApprovedEffect => ({
  subject: reference?.split('.')[0] ?? 'without a reference',
  content,
  account,
  at,
});

async function readReservations(scene: ApprovalScene): Promise<FinalReservations> {
  const { sandbox, databaseUrl, clientOf } = scene.installation;
  const made = sandbox.ledger.entries({ effect: 'refund.created' });
  const sum = (entries: readonly LedgerEntry[]) =>
    entries.reduce((total, { amount }) => total + Number(amount), 0);
  const ledgers = await queryRows<Omit<FinalReservations['orders'][number], 'movedMinor'>>(
    databaseUrl,
    `SELECT order_external_id AS order, refunded_minor::float8 AS "refundedMinor",
       reserved_minor::float8 AS "reservedMinor", in_flight AS "inFlight" FROM refund_ledgers`,
  );
  // A ceiling is that of a UTC day.
  const today = await queryRows<{ id: string; by: string }>(
    databaseUrl,
    `SELECT id, created_by AS by FROM refunds
     WHERE (first_sent_at AT TIME ZONE 'UTC')::date = (now() AT TIME ZONE 'UTC')::date`,
  );
  const ceilings: FinalReservations['ceilings'][number][] = [];
  for (const { id, token } of [scene.lasting, scene.expiring]) {
    // The killed processes took their leased shares of the key's rate limit with them, for a minute.
    const me = await eventually('the key may read its ceilings', async () => {
      const { status, json } = await clientOf(token).get('/me');
      return status === 200 ? json : null;
    });
    const key = asObject(me['key']);
    const policy = asObject(key['policy']);
    const ids = new Set(today.filter(({ by }) => by === id).map((refund) => refund.id));
    for (const left of asObjects(me['ceiling_remaining'])) {
      const currency = asText(left['currency']);
      const ceiling = asObjects(policy['refund_ceilings']).find((one) => one['currency'] === currency);
      const minor = (amount: unknown) => parseMinor({ amount, currency });
      ceilings.push({
        name: `${id} ${currency}`,
        usedMinor: minor(ceiling?.['per_day']) - minor(left['per_day_left']),
        movedMinor: sum(
          made.filter((entry) => ids.has(entry.reference ?? '') && entry['currency'] === currency),
        ),
      });
    }
  }
  return {
    ceilings,
    orders: ledgers.map((ledger) => ({
      ...ledger,
      movedMinor: sum(made.filter((entry) => entry['order_id'] === ledger.order)),
    })),
  };
}
