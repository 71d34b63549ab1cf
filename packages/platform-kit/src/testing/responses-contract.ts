import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Result } from '@switchboard/domain';
import type { Metrics } from '@switchboard/domain/analytics';
import type { RemoteOrder, RemoteRefund } from '@switchboard/domain/orders';
import type {
  Orders,
  Platform,
  PublishedPart,
  Publishing,
  PublishItem,
  Refunding,
  Session,
} from '@switchboard/domain/ports';
import { trackReceipt, discardReceipt } from './calls.js';
import { createContractContext, type ContractContext } from './contract-context.js';
import {
  mutatedField,
  mutateResponses,
  mutationKinds,
  listMutations,
  mutationName,
  recordResponses,
  cacheResponses,
  type JsonExchange,
  type MutationKind,
} from './mutations.js';
import { refundInstructionSource } from './refundable-payments.js';
import { isOutcomeUnknown } from './publish-until-confirmed.js';
import { documentOf, imageOf, videoOf, type TestMedia } from './test-media.js';
import { hasManyEffects, lookupOf, type World } from './world.js';

/** An operation that is repeated, each time with another mutated response. */
interface ResponseScenario {
  readonly name: string;
  /** Read-only, so it is prepared once and responses are replayed. */
  readonly reads: boolean;
  /** Its prerequisites, created with unchanged responses. */
  prepare(): Promise<ScenarioStep>;
}

interface ScenarioStep {
  run(session: Session): Promise<Result<unknown>>;
  /** The claim of the result that the platform's ledger contradicts; null if there is none. */
  judge(result: Result<unknown>): string | null | Promise<string | null>;
  /**
   * Whether a result claims that the effect took place, which requires the state that the platform returns.
   */
  claims?(value: unknown): boolean;
}

/**
 * Every field of every JSON response is made absent, null or, for enumerations, an unknown value. The adapter
 * may fail; it may not throw, claim what the ledger does not contain, or deny what it contains.
 */
export function responsesContract(
  platform: Platform,
  start: () => Promise<World>,
  connectMethod: string,
): void {
  describe('a response', () => {
    let running: World | undefined;
    const bench = createContractContext(platform, () => running, connectMethod);
    beforeAll(async () => {
      running = await start();
    });
    afterEach(async () => {
      if (!hasManyEffects(bench.world())) return;
      await running?.close();
      running = await start();
    });
    afterAll(async () => {
      await running?.close();
      running = undefined;
    });

    const created: AppliedMutations = new Set();
    for (const journey of listScenarios(bench)) {
      test.each(mutationKinds)(`to ${journey.name} whose fields are each %s`, async (kind) => {
        expect(await mutationViolations(bench, journey, kind, created)).toEqual([]);
      });
    }
  });
}

/** The mutations made so far: a response that precedes the effect is mutated once, not in every journey. */
type AppliedMutations = Set<string>;

/** The wrong claims of an adapter, by the mutated field. */
export async function mutationViolations(
  bench: ContractContext,
  journey: ResponseScenario,
  kind: MutationKind,
  created: AppliedMutations = new Set(),
): Promise<readonly string[]> {
  const world = bench.world();
  const step = await journey.prepare();
  const session = journey.reads ? cacheResponses(bench.open()) : bench.open();
  const [before, exchanges]: [number, JsonExchange[]] = [world.effects(), []];
  /** Whether the endpoint responds after the effect took place, or reports whether it did. */
  const revealingEndpoints = new Set<string>();
  const record = (exchange: JsonExchange) => {
    exchanges.push(exchange);
    if (journey.reads || world.effects() > before) revealingEndpoints.add(exchange.endpoint);
  };
  const whole = await runStep(step, recordResponses(session, record));
  if (whole !== null) throw new Error(`with no field mutated, to ${journey.name} ${whole}`);
  const violations: string[] = [];
  for (const mutation of listMutations(exchanges, echoedStrings(bench)).filter((one) => one.kind === kind)) {
    const { endpoint, field } = mutation;
    if (!revealingEndpoints.has(endpoint) && created.has(mutationName(mutation))) continue;
    created.add(mutationName(mutation));
    // The state that the last response reports is written.
    const isLast = journey.reads || endpoint === exchanges.at(-1)?.endpoint;
    const isState =
      isLast && STATE.test(mutatedField(mutation)) && !world.unrelatedStates?.includes(field.join('.'));
    const again = journey.reads ? step : await journey.prepare();
    const violation = await runStep(again, mutateResponses(session, mutation), isState);
    if (violation === null) continue;
    const isOmitted = kind !== 'unknown_value' && world.omittedFields?.includes(field.join('.'));
    if (!isOmitted || violation.startsWith('throws'))
      violations.push(`${mutationName(mutation)}: ${violation}`);
  }
  return violations;
}

/** `isState`: the mutated field's statement about the effect is unknown. */
async function runStep(step: ScenarioStep, session: Session, isState = false): Promise<string | null> {
  let result: Result<unknown>;
  try {
    result = await step.run(session);
  } catch (thrown) {
    return `throws ${String(thrown)}`;
  }
  const violation = await step.judge(result);
  if (violation !== null || !isState || !result.ok || !step.claims?.(result.value)) return violation;
  return 'reports success without knowing the state';
}

/** Names of fields that report progress. */
const STATE = /(^|_)(status|state)$|(Status|State)$/;

/** Words that a response repeats from the request: they are not members of an enumeration. */
const echoedStrings = ({ world }: ContractContext): ReadonlySet<string> => {
  const { account, needs } = world();
  const words: readonly unknown[] = [
    ...Object.values<unknown>({ ...account }),
    ...Object.values<unknown>(needs?.options ?? {}),
    needs?.title,
  ];
  return new Set(words.filter((word) => typeof word === 'string'));
};

export function listScenarios(bench: ContractContext): readonly ResponseScenario[] {
  const { connecting, publishing, analytics, orders, refunds } = bench.platform;
  // Read-only operations come first: they find their posts while there are few.
  return [
    identifyScenario(bench, connecting),
    ...(publishing ? publishingScenarios(bench, publishing) : []),
    ...(publishing && analytics ? analyticsScenarios(bench, publishing, analytics) : []),
    ...(orders ? orderScenarios(bench, orders) : []),
    ...(orders && refunds ? refundScenarios(bench, orders, refunds) : []),
  ].sort((one, other) => Number(other.reads) - Number(one.reads));
}

const identifyScenario = (
  { open, value }: ContractContext,
  connecting: Platform['connecting'],
): ResponseScenario => ({
  name: 'identify the account',
  reads: true,
  async prepare() {
    const known = new Set(value(await connecting.identify(open())).map(({ id }) => id));
    return {
      run: (session) => connecting.identify(session),
      judge(result) {
        if (!result.ok) return null;
        const found = (result.value as readonly { readonly id: string }[]).map(({ id }) => id);
        return found.every((id) => known.has(id)) ? null : `finds the accounts ${JSON.stringify(found)}`;
      },
    };
  },
});

// ── Publishing

function publishingScenarios(bench: ContractContext, publishing: Publishing): readonly ResponseScenario[] {
  const { manifest } = bench.platform;
  const { images, videos, documents } = manifest.media ?? {};
  const find = publishing.find?.bind(publishing);
  const subjects: readonly (readonly [string, () => Promise<PublishItem>])[] = [
    ['post', async () => bench.post(uniqueText('A post'))],
    ...(images && !images.coverOnly && !images.types.every((type) => type === 'image/webp')
      ? ([
          ['post with an image', async () => withMedia(bench, imageOf({ type: images.types[0] ?? '' }))],
        ] as const)
      : []),
    ...(videos?.types.includes('video/mp4')
      ? ([['post with a video', async () => withMedia(bench, videoOf())]] as const)
      : []),
    ...(documents
      ? ([
          ['post with a document', async () => withMedia(bench, documentOf({ altText: 'A report' }))],
        ] as const)
      : []),
    ...(manifest.thread
      ? ([['thread part', () => buildFollowUp(bench, publishing, 'thread')]] as const)
      : []),
    ...(manifest.firstComment
      ? ([['comment', () => buildFollowUp(bench, publishing, 'comment')]] as const)
      : []),
  ];
  return [
    ...subjects.map(([name, subject]) => publishScenario(bench, publishing, name, subject)),
    refusedScenario(bench, publishing),
    ...(find ? subjects.map(([name, subject]) => findScenario(bench, publishing, find, name, subject)) : []),
    ...otherScenarios(bench, publishing),
  ];
}

let texts = 0;
const uniqueText = (text: string) => `${text} No. ${++texts}`;

const withMedia = ({ post }: ContractContext, media: TestMedia) =>
  post(uniqueText('A post with a file'), { media: [media] });

async function buildFollowUp(
  bench: ContractContext,
  publishing: Publishing,
  kind: 'thread' | 'comment',
): Promise<PublishItem> {
  const first = bench.post('A post to answer');
  const root = bench.value(await publishing.publish(bench.open(), first, discardReceipt));
  return bench.post(uniqueText('An answer'), {
    kind,
    replyTo: { root, parent: root },
    reference: first.reference.replace(/\d+$/, '1'),
    createdAt: new Date(first.createdAt.getTime() + 1),
  });
}

const publishScenario = (
  bench: ContractContext,
  publishing: Publishing,
  name: string,
  subject: () => Promise<PublishItem>,
): ResponseScenario => ({
  name: `publish a ${name}`,
  reads: false,
  async prepare() {
    const item = await subject();
    const before = bench.world().effects();
    return {
      run: (session) => publishing.publish(session, item, trackReceipt(item).saveReceipt),
      async judge(result) {
        const created = bench.world().effects() - before;
        if (created > 1) return `publishes ${created} times`;
        if (result.ok) {
          if (created === 0) return 'reports a publication that did not happen';
          return differenceOf(bench, publishing, item, result.value as PublishedPart);
        }
        return created === 0 || isOutcomeUnknown(bench.code(result))
          ? null
          : `reports ${bench.code(result)} of what is published`;
      },
      claims: () => true,
    };
  },
});

/** How the object at the platform differs from the item. */
async function differenceOf(
  bench: ContractContext,
  publishing: Publishing,
  item: PublishItem,
  { externalId }: PublishedPart,
): Promise<string | null> {
  const text = await bench.world().textOf(externalId);
  if (text !== publishing.finalText(item))
    return `gives the id ${String(externalId)}, which is not the post's`;
  if (item.media.length > 0) {
    const files = await lookupOf(bench.world(), 'mediaOf')(externalId);
    if (files.length !== item.media.length) return `publishes ${files.length} files of ${item.media.length}`;
  }
  if (
    item.replyTo &&
    (await lookupOf(bench.world(), 'parentOf')(externalId)) !== item.replyTo.parent.externalId
  ) {
    return 'publishes it below something else';
  }
  return null;
}

const refusedScenario = (
  { platform, world, post, code }: ContractContext,
  publishing: Publishing,
): ResponseScenario => ({
  name: 'publish what the platform refuses',
  reads: false,
  async prepare() {
    const item = post('a'.repeat((platform.manifest.text?.max ?? 0) + 1));
    const before = world().effects();
    return {
      run: (session) => publishing.publish(session, item, discardReceipt),
      judge: (result) =>
        code(result) === 'ok' || world().effects() !== before ? 'reports a refused post as published' : null,
    };
  },
});

const findScenario = (
  bench: ContractContext,
  publishing: Publishing,
  find: NonNullable<Publishing['find']>,
  name: string,
  subject: () => Promise<PublishItem>,
): ResponseScenario => ({
  name: `find a ${name}`,
  reads: true,
  async prepare() {
    const item = await subject();
    const { saveReceipt, readBack } = trackReceipt(item);
    await publishing.publish(bench.open(), item, saveReceipt);
    const published = bench.value(await find(bench.open(), readBack()));
    if (!published) throw new Error('it is not found');
    return {
      run: (session) => find(session, readBack()),
      judge(result) {
        if (!result.ok) return null;
        const found = result.value as PublishedPart | null;
        if (found === null) return 'reports the absence of what is published';
        return found.externalId === published.externalId ? null : `finds ${found.externalId} instead`;
      },
      claims: (value) => value !== null,
    };
  },
});

/** For these the only requirement is that they never throw. */
function otherScenarios(
  { open, post, value }: ContractContext,
  publishing: Publishing,
): readonly ResponseScenario[] {
  const remove = publishing.remove?.bind(publishing);
  const locate = publishing.resolvePublishedUrl?.bind(publishing);
  const options = publishing.options?.bind(publishing);
  const quotas = publishing.quotas?.bind(publishing);
  const published = async () => value(await publishing.publish(open(), post('Somewhere'), discardReceipt));
  const journey = (
    name: string,
    reads: boolean,
    prepare: () => Promise<ScenarioStep['run']>,
  ): ResponseScenario => ({
    name,
    reads,
    prepare: async () => ({ run: await prepare(), judge: () => null }),
  });
  const exists = publishing.exists?.bind(publishing);
  return [
    exists && {
      name: 'read whether a post exists',
      reads: true,
      async prepare() {
        const part = await published();
        return {
          run: (session: Session) => exists(session, part),
          judge: (result: Result<unknown>) =>
            result.ok && result.value === false ? 'reports a published post as removed' : null,
        };
      },
    },
    remove &&
      journey('remove a post', false, async () => {
        const part = await published();
        return (session) => remove(session, part);
      }),
    locate &&
      journey('locate a post', true, async () => {
        const part = await published();
        return (session) => locate(session, part);
      }),
    options && journey('list the account’s options', true, async () => options),
    quotas && journey('read the quotas', true, async () => (session) => quotas(session)),
  ].filter((one) => one !== undefined);
}

// ── Analytics

function analyticsScenarios(
  { open, post, value }: ContractContext,
  publishing: Publishing,
  analytics: NonNullable<Platform['analytics']>,
): readonly ResponseScenario[] {
  let published: Promise<string> | undefined;
  const id = () =>
    (published ??= publishing
      .publish(open(), post('Count me'), discardReceipt)
      .then((sent) => value(sent).externalId));
  const account = analytics.ofAccount?.bind(analytics);
  const ofPosts = analytics.ofPosts?.bind(analytics);
  const checked = (expected: Metrics | undefined, seen: Metrics | undefined) => {
    const wrong = Object.entries(seen ?? {}).filter(
      ([name, count]) => count !== null && count !== expected?.[name as keyof Metrics],
    );
    return wrong.length === 0 ? null : `reports ${JSON.stringify(Object.fromEntries(wrong))}`;
  };
  const scenario = <Value>(
    name: string,
    read: (session: Session) => Promise<Result<Value>>,
    metricsOf: (value: Value) => Promise<Metrics | undefined> | Metrics | undefined,
  ): ResponseScenario => ({
    name,
    reads: true,
    async prepare() {
      const expected = await metricsOf(value(await read(open())));
      return {
        run: read,
        judge: async (result) =>
          result.ok ? checked(expected, await metricsOf(result.value as Value)) : null,
      };
    },
  });
  return [
    ofPosts &&
      scenario(
        'read the metrics of a post',
        async (session) => ofPosts(session, [await id()]),
        async (found) => found.get(await id()),
      ),
    account && scenario('read the metrics of the account', account, (metrics) => metrics),
  ].filter((one) => one !== undefined);
}

// ── Orders and refunds

function orderScenarios(bench: ContractContext, orders: Orders): readonly ResponseScenario[] {
  const { open, value } = bench;
  const page = (session: Session) => orders.list(session, { sort: '-created_at' }, { limit: 5 });
  return [
    {
      name: 'list orders',
      reads: true,
      async prepare() {
        const expected = value(await page(open()));
        // An order that cannot be read is replaced by a later one on the page.
        const later = value(await orders.list(open(), { sort: '-created_at' }, { limit: 50 })).orders;
        return {
          run: page,
          judge(result) {
            if (!result.ok) return null;
            const seen = result.value as typeof expected;
            if (seen.orders.length < expected.orders.length && (seen.notes ?? []).length === 0) {
              return `leaves out ${expected.orders.length - seen.orders.length} orders without a note`;
            }
            return firstViolation(
              seen.orders.map((order) => findOrderViolation(order, [...expected.orders, ...later])),
            );
          },
        };
      },
    },
    {
      name: 'read an order',
      reads: true,
      async prepare() {
        const first = await firstOrder(orders, bench);
        return {
          run: (session) => orders.get(session, first.externalId),
          judge(result) {
            if (!result.ok) return null;
            return result.value === null
              ? 'reports that there is no such order'
              : findOrderViolation(result.value as RemoteOrder, [first]);
          },
        };
      },
    },
  ];
}

/** A page may be empty and have a next page. */
async function firstOrder(orders: Orders, { open, value }: ContractContext): Promise<RemoteOrder> {
  let token: string | undefined;
  do {
    const page = value(await orders.list(open(), { sort: '-created_at' }, { limit: 5, token }));
    const [first] = page.orders;
    if (first) return first;
    token = page.next;
  } while (token !== undefined);
  throw new Error('there are no orders');
}

const firstViolation = (checked: readonly (string | null)[]) => checked.find((one) => one !== null) ?? null;

/** Claims about an order that would permit refunding too much, or that its own amounts contradict. */
function findOrderViolation(order: RemoteOrder, expected: readonly RemoteOrder[]): string | null {
  const real = expected.find(({ externalId }) => externalId === order.externalId);
  if (!real) return `reads the order ${String(order.externalId)}, which there is not`;
  if (order.currency !== real.currency) return `reads the currency ${order.currency}`;
  const amounts = [...Object.values(order.totals), ...order.refunds.map(({ amount }) => amount)];
  if (amounts.some(({ amountMinor }) => !Number.isSafeInteger(amountMinor)))
    return 'reads an amount that is none';
  if (order.totals.refundable.amountMinor > real.totals.refundable.amountMinor) {
    return `reads ${order.totals.refundable.amountMinor} as refundable, ${real.totals.refundable.amountMinor} is`;
  }
  for (const payment of order.payments.filter(({ refundableOnline }) => refundableOnline)) {
    const paid = real.payments.find(({ id }) => id === payment.id);
    if (payment.refundable.amountMinor > (paid?.refundable.amountMinor ?? 0)) {
      return `reads ${payment.refundable.amountMinor} as refundable of ${payment.id}, ${paid?.refundable.amountMinor ?? 0} is`;
    }
  }
  if (order.totals.captured.amountMinor > 0 && order.paymentStatus === 'pending') {
    return 'reads a payment as pending that is captured';
  }
  return null;
}

function refundScenarios(
  bench: ContractContext,
  orders: Orders,
  refunds: Refunding,
): readonly ResponseScenario[] {
  const { open, value, world, code } = bench;
  const find = refunds.find?.bind(refunds);
  const next = refundInstructionSource(bench, orders, refunds);
  const readBack = async (id: string, externalId: string) =>
    value(await orders.get(open(), id))?.refunds.some((refund) => refund.externalId === externalId) ?? false;
  return [
    {
      name: 'refund',
      reads: false,
      async prepare() {
        const instruction = await next();
        const before = world().effects();
        return {
          run: (session) => refunds.refund(session, instruction),
          async judge(result) {
            const created = world().effects() - before;
            if (created > 1) return `refunds ${created} times`;
            if (!result.ok) {
              const inDoubt = isOutcomeUnknown(code(result)) || code(result) === 'refund.unclear';
              return created === 0 || inDoubt ? null : `reports ${code(result)} of what is refunded`;
            }
            const refund = result.value as RemoteRefund;
            if (created === 0) return `reports a refund as ${refund.status} that did not happen`;
            if (refund.status === 'failed') return 'reports a refund as failed that happened';
            if (
              refund.amount.amountMinor !== instruction.amountMinor ||
              refund.amount.currency !== instruction.currency
            ) {
              return `reports a refund of ${JSON.stringify(refund.amount)}`;
            }
            return (await readBack(instruction.orderExternalId, refund.externalId))
              ? null
              : `gives the id ${String(refund.externalId)}, which is not the refund's`;
          },
          claims: (refund) => (refund as RemoteRefund).status === 'succeeded',
        };
      },
    },
    ...(find
      ? [
          {
            name: 'find a refund',
            reads: true,
            async prepare() {
              const instruction = await next();
              const created = value(await refunds.refund(open(), instruction));
              return {
                run: (session: Session) => find(session, instruction),
                judge(result: Result<unknown>) {
                  if (!result.ok) return null;
                  const found = result.value as RemoteRefund | null;
                  if (found === null) return 'reports the absence of what is refunded';
                  if (found.status === 'failed') return 'reports a refund as failed that happened';
                  if (found.amount.amountMinor !== instruction.amountMinor)
                    return `reports a refund of ${JSON.stringify(found.amount)}`;
                  return found.externalId === created.externalId ? null : `finds ${found.externalId} instead`;
                },
                claims: (refund: unknown) => (refund as RemoteRefund | null)?.status === 'succeeded',
              };
            },
          },
        ]
      : []),
  ];
}
