import { metricNames } from '@switchboard/domain/analytics';
import { formatOrderId, type ParsedOrderId } from '@switchboard/domain/orders';
import type { Manifest } from '@switchboard/domain/ports';
import type { Operation } from '@switchboard/operations';

type Fields = Readonly<Record<string, unknown>>;

/** A response of realistic content, whose size is watched: an agent pays for it on every call. */
interface SampleResponse {
  /** The tool and the number of its items: `list_orders (20, Shopify)`. */
  readonly name: string;
  readonly operation: Operation;
  readonly value: Fields;
}

/** The highest number of tokens that one item of a compact list may cost, on average over a page. */
export const itemBudgets: Readonly<Record<string, number>> = {
  list_connections: 80,
  list_orders: 120,
  list_platforms: 30,
};

/** The samples of a catalog: the examples of its operations, with contents as real accounts have them. */
export function sampleResponses(
  catalog: readonly Operation[],
  manifests: readonly Manifest[],
): readonly SampleResponse[] {
  const sample = (tool: string, value: (example: Fields) => Fields, variant?: string): SampleResponse => {
    const operation = catalog.find((one) => one.tool === tool);
    if (!operation) throw new Error(`no operation has the tool ${tool}`);
    const response = operation.output.parse(value(operation.example.output));
    const { data } = response;
    const counts = [...(Array.isArray(data) ? [String(data.length)] : []), ...(variant ? [variant] : [])];
    return {
      name: counts.length > 0 ? `${tool} (${counts.join(', ')})` : tool,
      operation,
      value: response,
    };
  };
  const page = (items: (example: Fields) => readonly Fields[]) => (output: Fields) => ({
    ...output,
    data: items((output['data'] as readonly Fields[])[0] ?? {}),
  });
  return [
    sample(
      'list_connections',
      page((example) => accounts.map((account, at) => connectionOf(example, account, at))),
    ),
    sample('list_platforms', () => ({ data: manifests.map(platformRowOf), next_cursor: null })),
    ...stores.map((store) =>
      sample(
        'list_orders',
        page((example) => numbers(20).map((at) => orderOf(example, store, at))),
        store.name,
      ),
    ),
    sample(
      'list_posts',
      page((example) => numbers(10).map((at) => postOf(example, at))),
    ),
    sample('get_post', (example) => postOf(example, 3)),
    sample('create_post', (example) => postOf(example, 2)),
    sample('get_analytics', (example) => analyticsOf(example, manifests), '10 platforms'),
    sample('quote_refund', quoteOf),
    sample('refund_order', refundOf),
    sample('list_attention', page(attentionItems)),
    sample('whoami', whoamiOf),
  ];
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);
const pick = <Item>(items: readonly [Item, ...Item[]], at: number): Item =>
  items[at % items.length] ?? items[0];

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';

/** The 26 characters of an id: they look random, as real ones do, and are the same on every run. */
function idBody(seed: number): string {
  let state = seed * 7919 + 17;
  const letters = numbers(20).map(() => {
    state = (state * 48_271 + 11) % 2_147_483_647;
    return LETTERS.charAt(Math.floor(state / 1000) % LETTERS.length);
  });
  return `01kb7q${letters.join('')}`;
}
const idOf = (prefix: string, seed: number) => `${prefix}_${idBody(seed)}`;
const timeOf = (day: number, hour: number) =>
  new Date(Date.UTC(2026, 10, day, hour, (hour * 17) % 60, (day * 13) % 60, 120)).toISOString();

interface SampleAccount {
  readonly platform: string;
  readonly kind: 'social' | 'commerce';
  readonly id: string;
  readonly username: string | null;
  readonly name: string;
  readonly permissions: readonly string[];
  readonly fields?: Fields;
}

const social = (
  platform: string,
  id: string,
  username: string | null,
  name: string,
  fields: Fields = {},
) => ({
  platform,
  kind: 'social' as const,
  id,
  username,
  name,
  permissions: ['profile', 'publish', 'insights.read'],
  fields,
});
const shop = (platform: string, id: string, name: string): SampleAccount => ({
  platform,
  kind: 'commerce',
  id,
  username: null,
  name,
  permissions: ['read_orders', 'write_orders', 'read_products'],
});

const accounts: readonly [SampleAccount, ...SampleAccount[]] = [
  social('bluesky', 'did:plc:ewvi7nxzyoun6zhxrhs64oiz', 'lumen.coffee', 'Lumen Coffee'),
  social('mastodon', '109382716254431902', 'lumen@mastodon.social', 'Lumen Coffee Roasters'),
  social('x', '1523489023847562240', 'lumencoffee', 'Lumen Coffee ☕', { scheduled_posts: 14 }),
  social('linkedin', 'urn:li:organization:90817263', null, 'Lumen Coffee Roasters S.L.'),
  social('facebook', '102938475610293', null, 'Lumen Coffee – Lavapiés'),
  social('instagram', '17841405793187218', 'lumen.coffee.madrid', 'Lumen Coffee | Madrid', {
    status: 'needs_reauth',
    status_reason: 'The login at Instagram has expired or was revoked.',
    scheduled_posts: 3,
  }),
  social('youtube', 'UCq-Fj5jknLsUf-MWSy4_brA', '@lumencoffee', 'Lumen Coffee Brewing Guides'),
  social('pinterest', '549755885175', 'lumencoffee', 'Lumen Coffee', {
    status: 'degraded',
    status_reason: 'The login at Pinterest expires soon and cannot be renewed.',
    expires_at: timeOf(28, 9),
  }),
  shop('shopify', 'lumen-coffee.myshopify.com', 'Lumen Coffee Shop'),
  shop('woocommerce', 'https://tienda.lumencoffee.example', 'Tienda Lumen Coffee'),
];

const connectionOf = (example: Fields, account: SampleAccount, at: number): Fields => ({
  ...example,
  id: idOf('con', at),
  profile_id: idOf('prf', 100),
  platform: account.platform,
  kind: account.kind,
  account: {
    id: account.id,
    username: account.username,
    name: account.name,
    avatar_url: `https://cdn.${account.platform}.example/avatars/${idBody(at + 300)}.jpg`,
    url: `https://${account.platform}.example/${account.username ?? account.id}`,
  },
  capabilities: account.kind === 'social' ? ['publishing', 'analytics'] : ['orders', 'refunds'],
  granted_permissions: account.permissions,
  scheduled_posts: 0,
  next_post_at: null,
  created_at: timeOf(2, at),
  last_checked_at: timeOf(21, at),
  ...account.fields,
});

/** As on a new installation: platforms that need an app lack its variables. */
function platformRowOf({ id, name, kind, connect }: Manifest): Fields {
  const [method] = connect;
  const variable = `SWITCHBOARD_${id.toUpperCase()}`;
  const missing = method.needsApp ? [`${variable}_CLIENT_ID`, `${variable}_CLIENT_SECRET`] : [];
  const capabilities =
    kind === 'social'
      ? {
          publishing: { read_back: true, unpublish: true, edit: false },
          ...(id !== 'telegram' &&
            id !== 'discord' && {
              analytics: { posts: true, account: true, elsewhere: true },
            }),
        }
      : {
          orders: { store_filters: ['sort', 'status', 'created_after', 'created_before', 'number'] },
          refunds: { read_back: true },
        };
  return {
    id,
    name,
    kind,
    source: 'built_in',
    configured: missing.length === 0,
    missing,
    connect: { method: method.id, fields: method.fields },
    capabilities,
  };
}

interface SampleStore {
  readonly name: string;
  readonly platform: string;
  readonly connection: number;
  readonly externalId: (at: number) => string;
  readonly number: (at: number) => string;
}

/** Their order ids differ in length, and the id of an order contains them. */
const stores: readonly SampleStore[] = [
  {
    name: 'Shopify',
    platform: 'shopify',
    connection: 8,
    externalId: (at) => String(5_832_149_909_683 + at * 32_768),
    number: (at) => `#${1042 + at}`,
  },
  {
    name: 'WooCommerce',
    platform: 'woocommerce',
    connection: 9,
    externalId: (at) => String(20_417 + at * 3),
    number: (at) => String(20_417 + at * 3),
  },
  {
    name: 'Medusa',
    platform: 'medusa',
    connection: 10,
    externalId: (at) => `order_${idBody(at + 500).toUpperCase()}`,
    number: (at) => String(311 + at),
  },
];

const customers = [
  'Ana Ruiz Fernández',
  'Jonas Lindqvist',
  'Marie-Claire Dubois',
  'Tom O’Brien',
  'Giulia Ferrari',
  '佐藤 花子',
  'Priya Raghunathan',
  'Łukasz Wiśniewski',
] as const;
const articles = [
  'Stoneware mug',
  'Ethiopia Yirgacheffe, whole bean, 1 kg',
  'Linen apron with leather straps',
  'Pour-over starter set',
  'Gift card',
  'Cold brew concentrate 500 ml',
] as const;

function orderOf(example: Fields, store: SampleStore, at: number): Fields {
  const connectionId = idOf('con', store.connection);
  const externalId = store.externalId(at);
  const isPartlyRefunded = at % 7 === 3;
  const total = (19.9 + at * 7.35).toFixed(2);
  const euros = (amount: string) => ({ amount, currency: 'EUR' });
  const [line] = example['line_items'] as readonly Fields[];
  return {
    ...example,
    id: formatOrderId({ connectionId: connectionId as ParsedOrderId['connectionId'], externalId }),
    connection_id: connectionId,
    platform: store.platform,
    external_id: externalId,
    number: store.number(at),
    payment_status: isPartlyRefunded ? 'partially_refunded' : 'paid',
    fulfillment_status: at % 3 === 0 ? 'fulfilled' : 'unfulfilled',
    totals: {
      ...(example['totals'] as Fields),
      total: euros(total),
      refunded: euros(isPartlyRefunded ? '9.90' : '0.00'),
      refundable: euros(isPartlyRefunded ? (Number(total) - 9.9).toFixed(2) : total),
    },
    customer: {
      id: String(6_940_117_000_000 + at),
      name: pick(customers, at),
      email: `customer${at}@example.com`,
    },
    line_items: numbers(1 + (at % 3)).map((index) => ({
      ...line,
      id: String(13_954_000_000_000 + at * 8 + index),
      title: pick(articles, at + index),
      quantity: 1 + ((at + index) % 2),
    })),
    shipping_address: {
      name: pick(customers, at),
      line1: 'Calle de Embajadores 27, 3.º B',
      line2: null,
      city: 'Madrid',
      region: 'Madrid',
      postal_code: '28012',
      country: 'ES',
    },
    created_at: timeOf(20 - (at % 19), at % 24),
    updated_at: timeOf(21 - (at % 19), at % 24),
    url: `https://store.example.com/admin/orders/${externalId}`,
  };
}

const texts = [
  'Spring blends are here ☀️ Three new single origins, roasted this morning in Lavapiés. Come and taste them this weekend: the first cup is on us. https://lumencoffee.example/spring',
  'How long do you bloom? We asked 40 baristas, and the answer surprised us. Thread ↓',
  'We are hiring: part-time roaster in Madrid, from January. Experience helps, curiosity helps more. Write to jobs@lumencoffee.example with a few lines about the best coffee you had this year.',
] as const;

/** Deliveries to three accounts; every third post fails on one of them. */
function postOf(example: Fields, at: number): Fields {
  const [delivery] = example['deliveries'] as readonly Fields[];
  const id = idOf('pst', at + 20);
  const deliveries = numbers(1 + (at % 3)).map((index) => {
    const account = pick(accounts, index);
    const deliveryId = idOf('dlv', at * 3 + index);
    const isFailed = at % 3 === 2 && index === 2;
    const externalId = idBody(at * 7 + index).slice(0, 13);
    const url = `https://${account.platform}.example/${account.username}/post/${externalId}`;
    return {
      ...delivery,
      id: deliveryId,
      connection_id: idOf('con', index),
      platform: account.platform,
      account: { id: account.id, username: account.username, name: account.name },
      scheduled_at: timeOf(at + 1, 9),
      ...(isFailed
        ? {
            status: 'failed',
            parts: [{ index: 0, status: 'pending', external_id: null, url: null }],
            external_id: null,
            url: null,
            published_at: null,
            removed_at: null,
            error: {
              code: 'platform.refused',
              message: 'The platform rejected the post.',
              retryable: false,
              who_can_fix: 'caller',
              platform: { name: account.platform, message: 'Your post contains a link that is not allowed.' },
              next: { operation: 'getPublishingOptions', arguments: { id: idOf('con', index) } },
            },
          }
        : {
            parts: [{ index: 0, status: 'published', external_id: externalId, url }],
            external_id: externalId,
            url,
            published_at: timeOf(at + 1, 9),
            removed_at: null,
          }),
    };
  });
  return {
    ...example,
    id,
    profile_id: idOf('prf', 100),
    text: pick(texts, at),
    status: at % 3 === 2 ? 'partially_published' : 'published',
    scheduled_at: timeOf(at + 1, 9),
    deliveries,
    created_by: idOf('key', 1),
    created_at: timeOf(at + 1, 8),
    updated_at: timeOf(at + 1, 9),
  };
}

/** Ten platforms with the metrics that each provides. */
function analyticsOf(example: Fields, manifests: readonly Manifest[]): Fields {
  const provided = new Map(
    manifests
      .filter((manifest) => manifest.kind === 'social' && manifest.metrics.length > 0)
      .slice(0, 10)
      .map(({ id, metrics }) => {
        const native = metrics.map(({ metric }): string => metric);
        const rate = native.includes('impressions') ? ['engagement_rate'] : [];
        return [id, new Set([...native, 'engagements', ...rate])] as const;
      }),
  );
  const names = [...metricNames, 'engagements', 'engagement_rate'];
  const platforms = [...provided.keys()];
  const valueOf = (name: string, at: number) =>
    name === 'engagement_rate' ? 0.043189 : 1237 * (at + 1) + name.length * 311;
  const metricsOf = (known: (name: string) => boolean, at: number) =>
    Object.fromEntries(names.map((name) => [name, known(name) ? valueOf(name, at) : null]));
  const has = (platform: string, name: string) => provided.get(platform)?.has(name) === true;
  return {
    ...example,
    post_count: 38,
    totals: metricsOf(() => true, 9),
    coverage: Object.fromEntries(
      names.map((name) => {
        const missing = platforms.filter((platform) => !has(platform, name));
        return [
          name,
          {
            platforms: platforms.filter((platform) => has(platform, name)),
            missing,
            reasons: Object.fromEntries(missing.map((platform) => [platform, 'not_provided'])),
          },
        ];
      }),
    ),
    groups: platforms.map((platform, at) => ({
      key: platform,
      platform,
      post_count: 38 - at,
      metrics: metricsOf((name) => has(platform, name), at),
    })),
  };
}

const sampleOrderId = formatOrderId({
  connectionId: idOf('con', 8) as ParsedOrderId['connectionId'],
  externalId: '5832149909683',
});

const quoteOf = (example: Fields): Fields => ({
  ...example,
  id: idOf('quo', 1),
  order_id: sampleOrderId,
  breakdown: {
    line_items: { amount: '10.00', currency: 'EUR' },
    shipping: { amount: '2.34', currency: 'EUR' },
    other: { amount: '0.00', currency: 'EUR' },
  },
  payments: [{ id: '6872349871231', amount: { amount: '12.34', currency: 'EUR' }, money_moved: true }],
  restock: true,
  ceiling_remaining: [{ currency: 'EUR', per_refund: '50.00', per_day_left: '137.66' }],
  consequences: [
    'Shopify returns 12.34 EUR to the customer. This cannot be undone.',
    '1 item is restocked.',
    'The store decides whether to notify the customer.',
    'Afterwards 47.04 EUR of this order can still be refunded.',
  ],
});

const refundOf = (example: Fields): Fields => ({
  ...example,
  id: idOf('rfd', 1),
  order_id: sampleOrderId,
  connection_id: idOf('con', 8),
  line_items: [{ id: '13954000000000', quantity: 1, restock: true, location_id: null }],
  payments: [{ id: '6872349871231', amount: { amount: '12.34', currency: 'EUR' }, money_moved: true }],
  reason: 'The mug arrived broken',
  external_id: '928734091823',
});

const itemId = (content: string) => `att_${Buffer.from(content).toString('base64url')}`;

const attentionItems = (example: Fields): readonly Fields[] => [
  { ...example, connection_id: idOf('con', 5) },
  {
    id: itemId(`post_failed ${idOf('pst', 22)} 3`),
    kind: 'post_failed',
    since: timeOf(19, 9),
    title: pick(texts, 0).slice(0, 80),
    platform: 'x',
    post_id: idOf('pst', 22),
    message:
      'Publishing failed on X (platform.refused); the error of each delivery says why and who can fix it. Fix that and call retry_post; otherwise no action is needed.',
    next: { operation: 'getPost', arguments: { id: idOf('pst', 22) } },
  },
  {
    id: itemId(`refund_needs_review ${idOf('rfd', 2)} 4`),
    kind: 'refund_needs_review',
    since: timeOf(18, 15),
    title: '12.34 EUR',
    platform: 'woocommerce',
    connection_id: idOf('con', 9),
    refund_id: idOf('rfd', 2),
    message:
      'The outcome of this refund is unknown and the store cannot be queried. Compare it with the order in the store, then resolve it. Do not send it again.',
    next: { operation: 'getOrder', arguments: { order_id: sampleOrderId } },
  },
];

const whoamiOf = (example: Fields): Fields => ({
  ...example,
  key: {
    ...(example['key'] as Fields),
    id: idOf('key', 1),
    scopes: [
      'profiles:read',
      'connections:read',
      'connections:write',
      'posts:read',
      'posts:write',
      'analytics:read',
      'orders:read',
      'refunds:write',
    ],
  },
  workspace: { id: idOf('wsp', 1), name: 'lumen' },
  profiles: ['Lumen Coffee', 'Lumen Academy', 'Café Lavapiés'].map((name, at) => ({
    id: idOf('prf', 100 + at),
    name,
  })),
  ceiling_remaining: [{ currency: 'EUR', per_refund: '50.00', per_day_left: '150.00' }],
});
