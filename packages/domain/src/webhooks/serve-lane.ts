import { addDecisionUrls, isOpen, mayReceiveLink } from '../approvals/decision-link.js';
import type { Event } from '../events/event.js';
import type { Ports, WebhookLane, WebhookResponse } from '../ports/index.js';
import { retryAfterSeconds } from '../retry-after.js';
import type { Secret } from '../secret.js';
import { fillLane } from './fill-lane.js';
import { openSecrets } from './open-secrets.js';
import { retryDelaySeconds, type RetrySchedule } from './retry-schedule.js';
import { settleAttempts, type LaneResults, type LaneVerdict } from './settle-attempts.js';
import { toAttempt } from './to-attempt.js';
import { formatWebhookBody } from './webhook-payload.js';
import type { DueWebhookDelivery, Webhook, WebhookAttempt } from './webhook.js';

/** Concurrent requests to one endpoint. */
const PER_ENDPOINT = 4;
const DUE_MAX = 100;
/** Attempts are recorded together: when so many have ended, or this long after the first one at the next. */
const RECORDED_TOGETHER = 100;
const RECORD_AFTER_MS = 1000;
/** After this time a lane makes room for others, when its running requests have ended. */
const SLICE_MS = 20_000;
/** How long an endpoint without a response in time is left alone. */
const TIMEOUT_PAUSE_SECONDS = 60;

export type WebhookPorts = Pick<
  Ports,
  | 'apiKeys'
  | 'approvalLinks'
  | 'approvals'
  | 'clock'
  | 'ids'
  | 'tokens'
  | 'transactions'
  | 'vault'
  | 'webhookClient'
  | 'webhooks'
>;

export interface LaneOptions {
  readonly schedule: RetrySchedule;
  readonly onAttempt: (outcome: 'delivered' | 'retry' | 'failed') => void;
}

/**
 * Sends what is due to one endpoint, and the events after its position, until nothing is left, the lane is lost,
 * or its time is over. What is sent and not recorded, because the process ended, is sent again.
 */
export async function serveLane(
  ports: WebhookPorts,
  lane: WebhookLane,
  options: LaneOptions,
  /** Interrupts running requests. */
  signal: AbortSignal,
  /** Starts no more requests. */
  ending: AbortSignal,
): Promise<void> {
  const { workspaceId, id } = lane.webhook;
  const vault = await ports.vault.unlock(workspaceId);
  if (!vault.ok) throw new Error(`the secrets of ${id} cannot be read: ${vault.failure.code}`);
  const endMs = ports.clock.now().getTime() + SLICE_MS;
  const isOver = () => signal.aborted || ending.aborted || ports.clock.now().getTime() >= endMs;
  for (let mayHaveMore = true; mayHaveMore && !isOver();) {
    const filled = await ports.transactions.run((tx) => fillLane(tx, ports.ids, lane));
    if (!filled.ok || filled.value === null || filled.value.webhook.disabledReason !== null) return;
    const { webhook } = filled.value;
    const secrets = openSecrets(vault.value, webhook, await ports.webhooks.findSecrets(workspaceId, id));
    if (!secrets.ok) throw new Error(`the secrets of ${id} cannot be read: ${secrets.failure.code}`);
    const due = await ports.webhooks.listDueDeliveries(lane, DUE_MAX);
    const send = createSender(ports, webhook, secrets.value, options.schedule, signal);
    if ((await deliverAll(ports, lane, due, send, options, isOver)) !== 'continue') return;
    mayHaveMore = filled.value.mayHaveMore || due.length === DUE_MAX;
  }
}

/** What one request says about its delivery and about the endpoint. */
interface AttemptReport extends Omit<LaneResults, 'attempts'> {
  readonly settled: LaneResults['attempts'][number];
}
type Send = (delivery: DueWebhookDelivery) => Promise<AttemptReport | null>;

/** Sends one delivery. Null when it was interrupted: it is sent again. */
const createSender =
  (
    ports: WebhookPorts,
    webhook: Webhook,
    secrets: readonly Secret[],
    schedule: RetrySchedule,
    signal: AbortSignal,
  ): Send =>
  async ({ id, event, eventId, attempts: before, traceparent }) => {
    const at = ports.clock.now();
    if (event === null) {
      const attempt: WebhookAttempt = {
        at,
        status: null,
        latencyMs: 0,
        responseHead: null,
        error: 'event_expired',
      };
      return { settled: { id, attempt, outcome: { kind: 'failed' } }, throttleSeconds: 0, isGone: false };
    }
    const response = await ports.webhookClient.send({
      url: webhook.url,
      pool: webhook.id,
      id: eventId,
      timestamp: at,
      body: formatWebhookBody(await withDecisionUrl(ports, webhook, event), webhook),
      secrets,
      traceparent,
      signal,
    });
    if (response.kind === 'failed' && response.error === 'aborted') return null;
    const attempt = toAttempt(response, at);
    const throttleSeconds = pauseSeconds(response, at);
    if (attempt.error === null)
      return { settled: { id, attempt, outcome: { kind: 'delivered' } }, throttleSeconds: 0, isGone: false };
    const delay = retryDelaySeconds(ports.tokens, schedule, { id, attempts: before + 1 });
    return {
      settled: {
        id,
        attempt,
        outcome:
          delay === null
            ? { kind: 'failed' }
            : { kind: 'retry', inSeconds: Math.max(delay, retryAfterOf(response, at)) },
      },
      throttleSeconds,
      isGone: attempt.status === 410,
    };
  };

/** A request for a decision contains the link where the endpoint may receive it, and while it is of use. */
async function withDecisionUrl(ports: WebhookPorts, { urlSetBy }: Webhook, event: Event): Promise<Event> {
  const [found = event] = await addDecisionUrls(ports, [event], async (approval) =>
    isOpen(approval, ports.clock.now()) && (await mayReceiveLink(ports, approval, urlSetBy))
      ? ports.approvalLinks.urlOf(approval)
      : null,
  );
  return found;
}

/** The delay that the endpoint requests, at most a day; 0 when it requests none. */
const retryAfterOf = (response: WebhookResponse, now: Date): number =>
  response.kind === 'answered' && response.retryAfter !== undefined
    ? retryAfterSeconds(response.retryAfter, now)
    : 0;

/** An endpoint that is overloaded, or does not respond in time, gets a pause for all of its deliveries. */
function pauseSeconds(response: WebhookResponse, now: Date): number {
  if (response.kind === 'failed') return response.error === 'timeout' ? TIMEOUT_PAUSE_SECONDS : 0;
  const isOverloaded = [429, 502, 504].includes(response.status);
  if (isOverloaded) return retryAfterSeconds(response.retryAfter, now);
  return response.status === 503 ? retryAfterOf(response, now) : 0;
}

/**
 * Sends all, a few at once, and records them meanwhile, several in one transaction. Stops when the endpoint needs a
 * pause, is disabled, or another process has the lane.
 */
async function deliverAll(
  ports: WebhookPorts,
  lane: WebhookLane,
  due: readonly DueWebhookDelivery[],
  send: Send,
  { onAttempt }: LaneOptions,
  isOver: () => boolean,
): Promise<LaneVerdict | 'paused'> {
  const waiting = [...due];
  let ended: AttemptReport[] = [];
  let verdict: LaneVerdict | 'paused' = 'continue';
  let writing = Promise.resolve();
  let isWriteQueued = false;
  let firstMs = 0;

  async function write(): Promise<void> {
    isWriteQueued = false;
    const batch = ended;
    ended = [];
    if (batch.length === 0) return;
    const results: LaneResults = {
      attempts: batch.map(({ settled }) => settled),
      throttleSeconds: Math.max(...batch.map((one) => one.throttleSeconds)),
      isGone: batch.some(({ isGone }) => isGone),
    };
    const settled = await ports.transactions.run((tx) =>
      settleAttempts(tx, ports.clock.now(), lane, results),
    );
    if (!settled.ok) throw new Error('recording attempts was refused');
    if (settled.value !== 'lost') for (const { outcome } of results.attempts) onAttempt(outcome.kind);
    if (settled.value !== 'continue') verdict = settled.value;
    else if (results.throttleSeconds > 0) verdict = 'paused';
  }

  function queueWrite(): void {
    if (isWriteQueued) return;
    isWriteQueued = true;
    writing = writing.then(write);
    // It is reported when all have ended.
    writing.catch(() => (verdict = 'lost'));
  }

  async function work(): Promise<void> {
    for (let next = waiting.shift(); next && verdict === 'continue' && !isOver(); next = waiting.shift()) {
      const sent = await send(next);
      if (!sent) return;
      const nowMs = ports.clock.now().getTime();
      if (ended.push(sent) === 1) firstMs = nowMs;
      // A pause begins with the response, not with its record.
      if (sent.throttleSeconds > 0 || sent.isGone) waiting.length = 0;
      const isFull = ended.length >= RECORDED_TOGETHER || nowMs - firstMs >= RECORD_AFTER_MS;
      if (isFull || waiting.length === 0) queueWrite();
    }
  }

  await Promise.all(Array.from({ length: PER_ENDPOINT }, work));
  await writing.then(write);
  return verdict;
}
