import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { ok } from '@switchboard/domain';
import { noMetrics } from '@switchboard/domain/analytics';
import type { RemoteOrder } from '@switchboard/domain/orders';
import type { Platform, PublishItem, Publishing, Session } from '@switchboard/domain/ports';
import { catalog } from '@switchboard/platforms';
import { isolatePlatform, type AdapterFault } from './isolate-platform.js';

const store = catalog.find(({ manifest }) => manifest.id === 'sandbox_store') as Platform;
const social = catalog.find(({ manifest }) => manifest.id === 'sandbox_social') as Platform;
const ownPublishing = social.publishing as Publishing;
const item = { text: 'hello' } as PublishItem;
const saveReceipt = async () => undefined;
const part = { externalId: '1', url: null, receipt: {} };

/** A session whose requests succeed, and are counted. */
function openSession() {
  const sent: string[] = [];
  const session = {
    account: { id: 'a', username: null, name: null, avatarUrl: null, url: null },
    signal: new AbortController().signal,
    async request({ method }: { readonly method: string }) {
      sent.push(method);
      return ok({ status: 200, ok: true, headers: {}, body: new Uint8Array(), json: {} });
    },
  } as unknown as Session;
  return { session, sent };
}

function isolate(over: Partial<Platform>, limits = {}) {
  const faults: AdapterFault[] = [];
  const platform = isolatePlatform(
    { ...social, ...over },
    { report: (fault) => faults.push(fault), ...limits },
  );
  return { platform, kinds: () => faults.map(({ method, kind }) => `${method} ${kind}`) };
}
const publishWith = (publish: unknown, limits = {}) => {
  const { platform, kinds } = isolate(
    { publishing: { ...ownPublishing, publish: publish as Publishing['publish'] } },
    limits,
  );
  return { publish: (session: Session) => platform.publishing!.publish(session, item, saveReceipt), kinds };
};

test('what an adapter throws before it sent anything is certain to have had no effect', async () => {
  const { publish, kinds } = publishWith(() => {
    throw new TypeError('a bug');
  });
  const { session } = openSession();
  expect(await publish(session)).toMatchObject({ ok: false, failure: { code: 'platform.unavailable' } });
  expect(kinds()).toEqual(['publishing.publish threw']);
});

test('what an adapter throws after a request that may have published leaves the outcome unknown', async () => {
  const { publish } = publishWith(async (session: Session) => {
    await session.request({ method: 'POST', path: '/posts', effect: 'read' });
    throw new Error('a bug');
  });
  expect(await publish(openSession().session)).toMatchObject({
    ok: false,
    failure: { code: 'platform.outcome_unknown' },
  });
});

test('a call that hangs ends, and its session sends nothing afterwards', async () => {
  let resume = (): void => undefined;
  const later: unknown[] = [];
  const { publish, kinds } = publishWith(
    async (session: Session) => {
      await new Promise<void>((resolve) => (resume = resolve));
      later.push(session.signal.aborted);
      later.push(await session.request({ method: 'POST', path: '/posts', effect: 'write' }));
      return ok(part);
    },
    { idleMs: 30 },
  );
  const { session, sent } = openSession();
  expect(await publish(session)).toMatchObject({ ok: false, failure: { code: 'platform.unavailable' } });
  expect(kinds()).toEqual(['publishing.publish timed_out']);
  resume();
  while (later.length < 2) await setTimeout(5);
  expect(later).toMatchObject([true, { ok: false, failure: { code: 'platform.unavailable' } }]);
  expect(sent).toEqual([]);
});

test('a call may last while it waits for a response of its platform, up to its total limit', async () => {
  const { session } = openSession();
  const slow: Session = {
    ...session,
    async request(request) {
      await setTimeout(150);
      return session.request(request);
    },
  };
  const run = async (own: Session) => {
    await own.request({ method: 'GET', path: '/state', effect: 'read' });
    return ok(part);
  };
  const patient = publishWith(run, { idleMs: 50 });
  expect(await patient.publish(slow)).toEqual({ ok: true, value: part });
  const limited = publishWith(run, { idleMs: 50, totalMs: 60 });
  expect((await limited.publish(slow)).ok).toBe(false);
  expect(limited.kinds()).toEqual(['publishing.publish timed_out']);
});

test.each([
  ['nothing', undefined],
  ['a part without an id', ok({ ...part, externalId: '' })],
  ['a script as address', ok({ ...part, url: 'javascript:alert(1)' })],
  ['an unknown failure', { ok: false, failure: { code: 'acme.odd', message: 'x' } }],
  ['a failure without a code', { ok: false }],
])('%s is malformed', async (_name, result) => {
  const { publish, kinds } = publishWith(async () => result);
  expect((await publish(openSession().session)).ok).toBe(false);
  expect(kinds()).toEqual(['publishing.publish malformed']);
});

test('a proper result and a proper failure pass unchanged', async () => {
  expect(await publishWith(async () => ok(part)).publish(openSession().session)).toEqual(ok(part));
  const refused = { ok: false, failure: { code: 'platform.refused', message: 'No.' } };
  const { publish, kinds } = publishWith(async () => refused);
  expect(await publish(openSession().session)).toEqual(refused);
  expect(kinds()).toEqual([]);
});

test('an error of the service itself passes through the adapter, and is no fault of it', async () => {
  const superseded = new Error('the lease was lost');
  const { platform, kinds } = isolate({
    publishing: {
      ...ownPublishing,
      publish: async (_session, _item, save) => {
        await save({});
        return ok(part);
      },
    },
  });
  const { session } = openSession();
  await expect(platform.publishing?.publish(session, item, () => Promise.reject(superseded))).rejects.toBe(
    superseded,
  );
  const failing = { ...session, request: () => Promise.reject(superseded) };
  const reading = isolate({
    connecting: { identify: (own) => own.request({ method: 'GET', path: '/', effect: 'read' }) as never },
  });
  await expect(reading.platform.connecting.identify(failing)).rejects.toBe(superseded);
  expect([...kinds(), ...reading.kinds()]).toEqual([]);
});

test('an answer about another order, or about other posts, is refused', async () => {
  const get = async () => ok({ ...exampleOrder(), externalId: '2' });
  const orders = isolate({ ...store, orders: { ...store.orders!, get } });
  expect((await orders.platform.orders!.get(openSession().session, '1')).ok).toBe(false);
  expect(orders.kinds()).toEqual(['orders.get malformed']);
  expect((await orders.platform.orders!.get(openSession().session, '2')).ok).toBe(true);

  const posts = isolate({ analytics: { ofPosts: async () => ok(new Map([['other', noMetrics]])) } });
  expect((await posts.platform.analytics!.ofPosts!(openSession().session, ['mine'])).ok).toBe(false);
});

test('another account than the connected one is refused, and any while an account is being connected', async () => {
  const { platform, kinds } = isolate({
    connecting: {
      identify: async () => ok([{ id: 'b', username: null, name: null, avatarUrl: null, url: null }]),
    },
  });
  const { session } = openSession();
  expect((await platform.connecting.identify(session)).ok).toBe(false);
  expect(kinds()).toEqual(['connecting.identify malformed']);
  const connecting = { ...session, account: { ...session.account, id: '' } };
  expect((await platform.connecting.identify(connecting)).ok).toBe(true);
});

const throwing = () => {
  throw new Error('a bug');
};
const draft = { kind: 'post', title: null, text: 'hello', link: null, options: {}, mediaCount: 0 } as const;

test('the rules of an adapter that throws have a plain answer for display', () => {
  const { platform, kinds } = isolate({
    publishing: { ...ownPublishing, count: throwing, finalText: throwing, cost: throwing },
  });
  const { count, finalText, cost } = platform.publishing!;
  expect([count('häuser 🏠'), finalText(draft), cost?.(draft)]).toEqual([8, 'hello', null]);
  expect(kinds()).toEqual(['publishing.count threw', 'publishing.finalText threw', 'publishing.cost threw']);
});

test.each<[string, Partial<Record<'count' | 'finalText' | 'check' | 'cost', unknown>>]>([
  ['count', { count: throwing }],
  ['count', { count: () => -1 }],
  ['finalText', { finalText: throwing }],
  ['check', { check: throwing }],
  ['check', { check: () => 'no problem' }],
  ['cost', { cost: throwing }],
  ['cost', { cost: () => ({ amountMicros: -5, currency: 'EUR' }) }],
])('a post is refused where %s fails: nothing passes that no rule examined', (name, over) => {
  const { platform, kinds } = isolate({ publishing: { ...ownPublishing, ...over } as Publishing });
  expect(platform.publishing?.check?.(draft)).toEqual([
    expect.objectContaining({ code: 'platform.unavailable', message: expect.stringContaining('doctor') }),
  ]);
  expect(kinds()).toEqual([expect.stringMatching(new RegExp(`^publishing.${name} (threw|malformed)$`))]);
});

test('an edit is refused where the adapter cannot check it, and one that throws is in doubt once it was sent', async () => {
  const { platform, kinds } = isolate({
    publishing: {
      ...ownPublishing,
      checkEdit: throwing,
      async edit(own) {
        await own.request({ method: 'PUT', path: '/posts/1', effect: 'idempotent' });
        return throwing();
      },
    },
  });
  expect(platform.publishing?.checkEdit?.(draft, draft)).toMatchObject([{ code: 'platform.unavailable' }]);
  expect(await platform.publishing?.edit?.(openSession().session, part, item)).toMatchObject({
    failure: { code: 'platform.outcome_unknown' },
  });
  expect(kinds()).toEqual(['publishing.checkEdit threw', 'publishing.edit threw']);
});

test('a post that the rules accept passes, also without a check of the adapter', () => {
  const { check: _check, ...unchecked } = ownPublishing;
  for (const publishing of [ownPublishing, unchecked])
    expect(isolate({ publishing }).platform.publishing?.check?.(draft)).toEqual([]);
});

test('an isolated platform has the abilities of the adapter and no other', () => {
  for (const platform of catalog) {
    const isolated = isolatePlatform(platform, { report: () => undefined });
    for (const ability of ['connecting', 'publishing', 'analytics', 'orders', 'refunds'] as const) {
      // Webhooks of stores are left to built-in adapters: who verifies them receives a secret.
      const {
        countsPages: _own,
        webhooks: _webhooks,
        ...members
      } = (platform[ability] ?? {}) as Record<string, unknown>;
      const { countsPages: _isolated, ...own } = (isolated[ability] ?? {}) as Record<string, unknown>;
      // A check is added where an adapter has none.
      const added = ability === 'publishing' && platform.publishing ? { check: null } : {};
      expect(Object.keys(own).sort()).toEqual(Object.keys({ ...members, ...added }).sort());
    }
  }
});

function exampleOrder(): RemoteOrder {
  const money = { amountMinor: 100, currency: 'EUR' };
  const totals = ['discount', 'shipping', 'tax', 'total', 'captured', 'refunded', 'refundable'];
  return {
    externalId: '1',
    number: '1',
    status: 'open',
    paymentStatus: 'paid',
    fulfillmentStatus: 'unfulfilled',
    rawStatus: 'open',
    currency: 'EUR',
    pricesIncludeTax: null,
    totals: Object.fromEntries(totals.map((name) => [name, money])),
    customer: { id: null, name: null, email: null },
    emails: [],
    lines: [],
    shippingLines: [],
    shippingAddress: null,
    payments: [],
    refunds: [],
    shipments: null,
    note: null,
    createdAt: new Date(0),
    updatedAt: new Date(0),
    url: null,
  } as unknown as RemoteOrder;
}
