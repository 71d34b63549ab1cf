import { Secret, type Result } from '@switchboard/domain';
import type {
  Platform,
  PlatformRequest,
  PublishItem,
  RefundInstruction,
  SaveReceipt,
  Session,
} from '@switchboard/domain/ports';
import { imageOf, videoOf } from './test-media.js';
import type { World } from './world.js';

/** One request type of a platform, and its result when there is no response. */
export interface PlatformCall {
  readonly name: string;
  readonly ability: 'connecting' | 'publishing' | 'analytics' | 'orders' | 'refunds';
  readonly effect: PlatformRequest['effect'];
  /** Whether the call has to parse the response's body. A removal does not. */
  readonly reads: boolean;
  run(session: Session): Promise<Result<unknown>>;
}

type RefundTarget = Pick<World, 'refundTarget'>;
type PostRequirements = NonNullable<World['needs']>;

/** Every operation that a platform supports, with harmless arguments. */
export function listCalls(
  platform: Platform,
  world: () => RefundTarget & Pick<World, 'needs' | 'remembered' | 'editTarget'> = () => ({}),
): readonly PlatformCall[] {
  const { connecting, publishing, analytics, orders, refunds } = platform;
  const calls: PlatformCall[] = [];
  const add = (
    name: string,
    effect: PlatformRequest['effect'],
    run: PlatformCall['run'] | undefined,
    reads = true,
  ) => {
    const ability = name.split('.')[0] as PlatformCall['ability'];
    if (run) calls.push({ name, ability, effect, reads, run });
  };
  const find = publishing?.find?.bind(publishing);
  const remove = publishing?.remove?.bind(publishing);
  const exists = publishing?.exists?.bind(publishing);
  const options = publishing?.options?.bind(publishing);
  const quotas = publishing?.quotas?.bind(publishing);
  const locate = publishing?.resolvePublishedUrl?.bind(publishing);
  const part = { externalId: 'nothing', url: null, receipt: {} };
  const hello = () => buildPlatformPost(platform, 'Hello', {}, world().needs);

  add('connecting.identify', 'read', (session) => connecting.identify(session));
  add(
    'publishing.publish',
    'write',
    publishing && ((session) => publishing.publish(session, hello(), discardReceipt)),
  );
  const unsent = () => ({ ...hello(), media: [] });
  const inDoubt = () => ({ ...hello(), media: [], receipt: world().remembered ?? {} });
  add('publishing.find', 'read', find && ((session) => find(session, inDoubt())));
  add('publishing.locate', 'read', locate && ((session) => locate(session, part)));
  add('publishing.exists', 'read', exists && ((session) => exists(session, part)));
  const edit = publishing?.edit?.bind(publishing);
  const isEdited = publishing?.isEdited?.bind(publishing);
  const published = () => world().editTarget?.() ?? part;
  add('publishing.edit', 'write', edit && ((session) => edit(session, published(), unsent())));
  add('publishing.isEdited', 'read', isEdited && ((session) => isEdited(session, published(), unsent())));
  add('publishing.remove', 'idempotent', remove && ((session) => remove(session, part)), false);
  add('publishing.options', 'read', options && ((session) => options(session)));
  add('publishing.quotas', 'read', quotas && ((session) => quotas(session)));
  const ofPosts = analytics?.ofPosts?.bind(analytics);
  add('analytics.ofPosts', 'read', ofPosts && ((session) => ofPosts(session, ['nothing'])));
  const ofDays = analytics?.ofDays?.bind(analytics);
  const days = { from: '2026-11-01', to: '2026-11-07' };
  add('analytics.ofDays', 'read', ofDays && ((session) => ofDays(session, days)));
  add(
    'analytics.ofAccount',
    'read',
    analytics?.ofAccount && ((session) => readAccountMetrics(platform, session)),
  );
  const listPosts = analytics?.listPosts?.bind(analytics);
  add(
    'analytics.listPosts',
    'read',
    listPosts && ((session) => listPosts(session, { cursor: null, since: null })),
  );
  add(
    'orders.list',
    'read',
    orders && ((session) => orders.list(session, { sort: '-created_at' }, { limit: 5 })),
  );
  add('orders.get', 'read', orders && ((session) => orders.get(session, 'nothing')));
  const webhooks = orders?.webhooks;
  // Begins with a list of those that are registered.
  add(
    'orders.registerWebhooks',
    'read',
    webhooks &&
      ((session) =>
        webhooks.register(session, {
          url: 'https://switchboard.example/store-webhooks/calls',
          externalIds: [],
          secret: webhooks.secret === 'issued' ? null : new Secret('a secret'),
        })),
  );
  add('refunds.refund', 'write', refunds && ((session) => runRefund(platform, session, world())));
  add('refunds.find', 'read', refunds?.find && ((session) => findRefund(platform, session, world())));
  return calls;
}

const readAccountMetrics = ({ analytics }: Platform, session: Session) =>
  analytics?.ofAccount?.(session) ?? impossible();
const runRefund = ({ refunds }: Platform, session: Session, target: RefundTarget) =>
  refunds?.refund(session, smallestInstruction(target)) ?? impossible();
const findRefund = ({ refunds }: Platform, session: Session, target: RefundTarget) =>
  refunds?.find?.(session, smallestInstruction(target)) ?? impossible();

const smallestInstruction = ({ refundTarget }: RefundTarget) => {
  const { orderId, paymentId, currency } = refundTarget ?? noRefundTarget;
  return buildInstruction(orderId, paymentId, currency, 1);
};
const noRefundTarget = { orderId: 'nothing', paymentId: 'nothing', currency: 'EUR' };

function impossible(): never {
  throw new Error('a call was listed for an ability that is not there');
}

let references = 0;

/** For a platform that is called once: the receipt is not needed. */
export const discardReceipt: SaveReceipt = async () => undefined;

/** Stores the receipt and returns the item as a later attempt or lookup has it. */
export function trackReceipt(item: PublishItem) {
  let receipt = item.receipt;
  return {
    saveReceipt: (async (stored) => void (receipt = stored)) satisfies SaveReceipt,
    again: (): PublishItem => ({ ...item, receipt }),
    readBack: (): PublishItem => ({ ...item, media: [], receipt }),
  };
}

/** A post that differs from every other in its reference. */
export const buildItem = (text: string, more: Partial<PublishItem> = {}): PublishItem => ({
  kind: 'post',
  title: null,
  text,
  link: null,
  options: {},
  reference: `dlv_${++references}.0`,
  createdAt: new Date('2026-11-21T12:00:00.000Z'),
  media: [],
  mediaCount: more.media?.length ?? 0,
  card: null,
  replyTo: null,
  receipt: {},
  ...more,
});

/**
 * A post that the platform accepts: with the required options, and with an image or a video if the platform
 * requires media.
 */
export function buildPlatformPost(
  { manifest }: Platform,
  text: string,
  more: Partial<PublishItem> = {},
  needs: PostRequirements = {},
): ReturnType<typeof buildItem> {
  const { media } = manifest;
  const all = { ...needs, ...more, options: { ...needs.options, ...more.options } };
  if (!media?.required || more.media || more.kind === 'comment') return buildItem(text, all);
  const type = media.images?.coverOnly ? undefined : media.images?.types[0];
  return buildItem(text, { ...all, media: [type === undefined ? videoOf() : imageOf({ type })] });
}

/** A refund of an amount of one payment, with its own reference. */
export const buildInstruction = (
  orderExternalId: string,
  paymentId: string,
  currency: string,
  amountMinor: number,
  more: Partial<RefundInstruction> = {},
): RefundInstruction => ({
  orderExternalId,
  reference: `rfd_${++references}`,
  kind: 'amount',
  amountMinor,
  currency,
  payments: [{ id: paymentId, amountMinor, moneyMoved: true }],
  lines: [],
  shippingMinor: 0,
  restock: false,
  reason: null,
  note: null,
  notifyCustomer: null,
  ...more,
});

/** Runs every operation of the platform and lists those rejected because of the credential. */
export async function listRefusedCalls(
  platform: Platform,
  world: World,
  open: () => Session,
): Promise<readonly string[]> {
  const refused: string[] = [];
  const account = await platform.connecting.identify(open());
  if (!account.ok) refused.push(`identify is refused: ${account.failure.code}`);
  for (const call of listCalls(platform, () => world)) {
    const result = await call.run(open());
    if (!result.ok && result.failure.code === 'connection.needs_reauth')
      refused.push(`${call.name} is refused`);
  }
  return refused;
}
