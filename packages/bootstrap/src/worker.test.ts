import { expect, test } from '@jest/globals';
import type { Delivery } from '@switchboard/domain/deliveries';
import type { Promotion } from '@switchboard/domain/pauses';
import type { Job } from '@switchboard/domain/ports';
import { memorySocial, createTestEnvironment } from '@switchboard/domain/testing';
import type { JobHandlers, JobQueue } from '@switchboard/jobs';
import { startWorker } from './worker.js';
import { workSignals } from './work-signals.js';

/** Polls without a deadline, for slow machines. */
async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await what())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** A worker over in-memory storage, whose queue loses every job: the sweep does all work. */
async function setupWorker(count: number, over: Partial<Delivery> = {}) {
  const social = memorySocial();
  const it = await createTestEnvironment([social]);
  const targets = [];
  for (let at = 0; at < count; at++) targets.push(await it.connect());
  const post = it.build.post(it.profile, targets, {}, over);
  await it.repositories.posts.insert(post);
  const errors: unknown[] = [];
  const woken: string[] = [];
  const promotions: Promotion[] = [];
  const signals = workSignals({
    notices: { on: () => undefined },
    notify: async () => undefined,
    onError: (error) => errors.push(error),
  });
  let handlers: JobHandlers | undefined;
  const queue: JobQueue = {
    jobsIn: () => ({ enqueue: async () => undefined }),
    work: async (given) => void (handlers = given),
    wake: (name) => void woken.push(name),
    depth: async () => new Map(),
    stop: async () => undefined,
  };
  const worker = await startWorker(
    it.ports,
    queue,
    { purge: async () => 0, sumMetrics: async () => 0 },
    null,
    {
      onError: (error) => errors.push(error),
      onWork: signals.onWork,
      onEmail: () => undefined,
      onDownload: () => undefined,
      onPromotion: (promotion) => promotions.push(promotion),
      webhookSchedule: [],
      onWebhookAttempt: () => undefined,
    },
  );
  const statuses = async () =>
    (await it.repositories.posts.find(it.workspace.id, post.id))?.deliveries.map(({ status }) => status);
  return {
    ...it,
    targets,
    social,
    errors,
    signals,
    woken,
    promotions,
    statuses,
    stop: () => worker.stop(),
    handlers: () => handlers,
  };
}

test('the sweep processes due items without a job, and reports each exception without stopping the others', async () => {
  const it = await setupWorker(4);
  const bug = { takesEffect: true, response: 'throws' } as const;
  it.social.publishOutcomes.push(bug, { takesEffect: true, response: 'ok' }, bug);
  await until(() => it.errors.length === 2);
  await it.stop();
  expect((await it.statuses())?.sort()).toEqual(['published', 'published', 'sending', 'sending']);
  expect(it.social.published).toHaveLength(4);
});

test('the sweep records a promotion, and what waited is read back before it is sent', async () => {
  const it = await setupWorker(1, { status: 'blocked' });
  await until(async () => (await it.repositories.pauses.findInstallation()).timeline !== null);
  await it.repositories.pauses.updateInstallation({ timeline: 'lost' });
  const post = it.build.post(it.profile, it.targets);
  await it.repositories.posts.insert(post);
  // Its absence counts when it is observed a second time, later.
  await until(() => {
    it.clock.advance(1000);
    return it.social.published.length === 1;
  });
  await it.stop();
  expect(it.promotions).toMatchObject([{ deliveries: 2, refunds: 0 }]);
  const history = await it.repositories.deliveries.listHistory(it.workspace.id, post.id);
  expect(history.map(({ kind }) => kind)).toContain('read_back');
  expect(it.errors).toEqual([]);
});

test('a delivery that becomes due between two sweeps is sent when it is due', async () => {
  const it = await setupWorker(1);
  // The clock of this test advances only while the worker sleeps.
  const scheduledAt = it.clock.after(1500);
  const post = it.build.post(it.profile, it.targets, { scheduledAt });
  await it.repositories.posts.insert(post);
  await until(() => it.social.published.length === 2);
  expect(it.clock.now().getTime()).toBeGreaterThanOrEqual(scheduledAt.getTime());
  await it.stop();
  expect(it.errors).toEqual([]);
});

test('a delivery that was being sent when a worker died is reconciled, not sent again', async () => {
  const it = await setupWorker(1, { status: 'sending', epoch: 1, attempts: 1 });
  await until(async () => (await it.statuses())?.[0] === 'unknown');
  await it.stop();
  expect(it.social.published).toEqual([]);
});

test('a stop lets a running delivery finish', async () => {
  const it = await setupWorker(1);
  const { open } = it.ports.sessions;
  const signals: AbortSignal[] = [];
  Object.assign(it.ports, {
    sessions: {
      open: (...given: Parameters<typeof open>) => (signals.push(given[2]), open(...given)),
    },
  });
  let sending = false;
  it.social.publishOutcomes.push({
    takesEffect: true,
    response: 'ok',
    duringRequest: async () => {
      sending = true;
      await new Promise((resolve) => setTimeout(resolve, 300));
    },
  });
  await until(() => sending);
  await it.stop();
  expect(await it.statuses()).toEqual(['published']);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
});

test('a grant that could not be revoked fails its job, so that the queue retries it', async () => {
  const it = await setupWorker(0);
  it.vault.available = false;
  const job: Extract<Job, { name: 'revoke_grant' }> = {
    name: 'revoke_grant',
    workspaceId: it.workspace.id,
    connectionId: it.ids.next('con'),
    profileId: it.profile.id,
    platform: 'sandbox_social',
    connectMethod: 'oauth',
    server: null,
    generation: 1,
    sealed: new Uint8Array([1]),
  };
  const never = new AbortController().signal;
  await expect(it.handlers()?.revoke_grant(job, never)).rejects.toThrow(/failed: vault\.unavailable/);
  await it.stop();
});

test('an announcement makes the worker fetch jobs of that kind at once', async () => {
  const it = await setupWorker(0);
  it.signals.announce(new Set(['settle_refund', 'send_events']));
  await until(() => it.woken.length > 0);
  expect(it.woken).toEqual(['settle_refund']);
  await it.stop();
});
