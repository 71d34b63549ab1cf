import { connectAccount } from './connected-store.js';
import { text, type JsonObject } from './json.js';
import { announceMedia, newKey, type World } from './world.js';

type Thing =
  | 'profile'
  | 'connection'
  | 'platform'
  | 'connect_session'
  | 'post'
  | 'delivery'
  | 'media'
  | 'order'
  | 'quote'
  | 'refund'
  | 'key';

/** A place in an operation's input that names something of the workspace. */
export interface Naming {
  readonly thing: Thing;
  readonly put: (id: string) => JsonObject;
}

/** How an operation is called to compare its wires. */
export interface Row {
  /** What REST is given; made anew for each wire, so that a call which uses something up finds its own. */
  readonly input: (world: World) => JsonObject | Promise<JsonObject>;
  /** What MCP is given of it, where the tool is narrower. */
  readonly tool?: (input: JsonObject) => JsonObject;
  /** Fields whose values the schema refuses on either wire; none where everything is a matter of what an id names. */
  readonly malformed?: JsonObject;
  readonly names?: readonly Naming[];
  /** Waits on REST as long as the tool does by itself. */
  readonly waits?: boolean;
  /** Reads, and answers with the time of asking. */
  readonly timely?: boolean;
}

const field = (name: string, thing: Thing): Naming => ({ thing, put: (id) => ({ [name]: id }) });

const newProfile = async ({ client }: World) =>
  text((await client.expect(201, 'POST', '/profiles', { body: { name: 'Short-lived' } }))['id']);

const newScheduledPost = async ({ client, profile, social }: World) => {
  const body = {
    profile_id: profile,
    text: 'Never to be seen',
    scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
    targets: [{ connection_id: social }],
    allow_duplicate: true,
  };
  return text((await client.expect(201, 'POST', '/social/posts', { body }))['id']);
};

const newPublishedPost = async ({ client, profile, social }: World) => {
  const body = {
    profile_id: profile,
    text: 'Soon to be deleted',
    targets: [{ connection_id: social }],
    allow_duplicate: true,
  };
  const headers = { Prefer: 'wait=20' };
  return text((await client.expect(201, 'POST', '/social/posts', { body, headers }))['id']);
};

/** A millisecond is not enough to be published in. */
const newMissedPost = async ({ client, profile, social }: World) => {
  const dueMs = Date.now() + 1000;
  const body = {
    profile_id: profile,
    text: 'Too late',
    scheduled_at: new Date(dueMs).toISOString(),
    not_after: new Date(dueMs + 1).toISOString(),
    targets: [{ connection_id: social }],
    allow_duplicate: true,
  };
  const id = text((await client.expect(201, 'POST', '/social/posts', { body }))['id']);
  await client.expect(200, 'GET', `/social/posts/${id}`, { headers: { Prefer: 'wait=20' } });
  return id;
};

const newQuote = async ({ client, order }: World) => {
  const path = `/ecommerce/orders/${order}/refund/quote`;
  return text((await client.expect(201, 'POST', path, { body: { amount: '1.00' } }))['id']);
};

const draft = ({ profile, social }: World) => ({
  profile_id: profile,
  text: 'The same on every wire',
  link: 'https://example.com/same',
  targets: [{ connection_id: social }],
  metadata: { campaign: 'parity' },
  allow_duplicate: true,
});

const draftNames: readonly Naming[] = [
  field('profile_id', 'profile'),
  { thing: 'connection', put: (id) => ({ targets: [{ connection_id: id }] }) },
];

/** One row for each operation of the catalogue; an operation without one fails the suite. */
export const parityRows: Readonly<Record<string, Row>> = {
  getMe: { input: () => ({}) },
  listPlatforms: { input: () => ({}) },
  getPlatform: {
    input: () => ({ id: 'sandbox_store' }),
    names: [field('id', 'platform')],
  },

  listProfiles: { input: () => ({ limit: 1 }), malformed: { limit: 0 } },
  getProfile: {
    input: ({ profile }) => ({ id: profile }),
    names: [field('id', 'profile')],
  },
  createProfile: {
    input: () => ({ name: 'Lumen', timezone: 'Europe/Madrid', metadata: { tier: 'gold' } }),
    malformed: { name: 7, timezone: 'Middle/Earth' },
  },
  updateProfile: {
    input: ({ profile }) => ({ id: profile, metadata: { touched: 'yes' } }),
    names: [field('id', 'profile')],
    malformed: { metadata: { touched: 1 } },
  },
  deleteProfile: {
    input: async (world) => ({ id: await newProfile(world) }),
    names: [field('id', 'profile')],
  },

  startConnect: {
    input: ({ profile }) => ({ platform: 'sandbox_store', profile_id: profile }),
    names: [
      field('profile_id', 'profile'),
      field('platform', 'platform'),
      { thing: 'connection', put: (id) => ({ connection_id: id, platform: undefined }) },
    ],
    malformed: { expires_in_minutes: 0 },
  },
  getConnectSession: {
    input: ({ connectSession }) => ({ id: connectSession }),
    names: [field('id', 'connect_session')],
  },
  listConnections: {
    input: ({ profile }) => ({ profile_id: profile, platform: ['sandbox_social', 'sandbox_store'] }),
    names: [field('profile_id', 'profile')],
    malformed: { kind: 'sociable' },
  },
  getConnection: {
    input: ({ social }) => ({ id: social, refresh: false }),
    names: [field('id', 'connection')],
    malformed: { refresh: 'perhaps' },
  },
  getPublishingOptions: {
    input: ({ social }) => ({ id: social }),
    names: [field('id', 'connection')],
    timely: true,
  },
  updateConnection: {
    input: ({ social }) => ({ id: social, label: 'Main account' }),
    names: [field('id', 'connection'), field('profile_id', 'profile')],
    malformed: { label: 7 },
  },
  disconnect: {
    input: async ({ client, profile }) => ({
      id: await connectAccount(client, 'sandbox_social', 'tidal-museum', profile),
    }),
    names: [field('id', 'connection')],
  },

  createPost: { input: draft, names: draftNames, malformed: { text: 7, link: 'ftp://nope' }, waits: true },
  validatePost: {
    input: draft,
    names: draftNames,
    malformed: { targets: 'everywhere' },
    timely: true,
  },
  listPosts: {
    input: ({ social }) => ({ connection_id: social, status: ['published'], sort: 'scheduled_at', limit: 1 }),
    names: [field('profile_id', 'profile'), field('connection_id', 'connection')],
    malformed: { status: ['imagined'] },
  },
  getPost: { input: ({ post }) => ({ id: post }), names: [field('id', 'post')] },
  cancelPost: {
    input: async (world) => ({ id: await newScheduledPost(world) }),
    names: [field('id', 'post')],
  },

  createPosts: {
    input: (world) => ({ posts: [draft(world), { ...draft(world), draft: true }] }),
    names: [{ thing: 'profile', put: (id) => ({ posts: [{ text: 'Hello', profile_id: id }] }) }],
    malformed: { posts: [] },
  },
  updatePost: {
    input: async (world) => ({
      id: await newScheduledPost(world),
      text: 'Changed on every wire',
      link: null,
      metadata: { campaign: 'parity' },
      allow_duplicate: true,
    }),
    names: [
      field('id', 'post'),
      { thing: 'connection', put: (id) => ({ targets: [{ connection_id: id }] }) },
    ],
    malformed: { text: 7, link: 'ftp://nope' },
  },
  retryPost: {
    input: async (world) => ({ id: await newMissedPost(world), allow_duplicate: true }),
    names: [field('id', 'post'), { thing: 'delivery', put: (id) => ({ delivery_ids: [id] }) }],
    malformed: { delivery_ids: [] },
    waits: true,
  },
  unpublishPost: {
    input: async (world) => ({ id: await newPublishedPost(world) }),
    names: [field('id', 'post'), { thing: 'delivery', put: (id) => ({ delivery_ids: [id] }) }],
    malformed: { delivery_ids: [] },
  },
  getPostHistory: {
    input: ({ post }) => ({ id: post }),
    names: [field('id', 'post')],
  },
  recheckDelivery: {
    input: ({ post, delivery }) => ({ id: post, delivery_id: delivery }),
    names: [field('id', 'post'), field('delivery_id', 'delivery')],
  },
  resolveDelivery: {
    input: ({ post, delivery }) => ({ id: post, delivery_id: delivery, outcome: 'published', note: 'Seen.' }),
    names: [field('id', 'post'), field('delivery_id', 'delivery')],
    malformed: { outcome: 'perhaps', note: '' },
  },

  createMedia: {
    input: () => ({ url: 'https://files.invalid/cat.png', alt_text: 'A cat' }),
    malformed: { url: 7, alt_text: 'x'.repeat(5001) },
  },
  createMediaUpload: {
    input: () => ({ type: 'image/png', bytes: 1000, alt_text: 'A cat' }),
    malformed: { type: 7, bytes: 0 },
  },
  listMedia: { input: () => ({ limit: 1 }), malformed: { limit: 0 } },
  getMedia: { input: ({ media }) => ({ id: media }), names: [field('id', 'media')] },
  deleteMedia: {
    input: async ({ client }) => ({ id: await announceMedia(client) }),
    names: [field('id', 'media')],
  },

  listKeys: { input: () => ({ limit: 1 }), malformed: { limit: 0 } },
  getKey: { input: async ({ client }) => ({ id: await newKey(client) }), names: [field('id', 'key')] },
  createKey: {
    input: () => ({ name: 'parity', scopes: ['posts:read'], policy: { hide_personal_data: true } }),
    names: [{ thing: 'profile', put: (id) => ({ policy: { profile_ids: [id] } }) }],
    malformed: { name: 7, scopes: ['everything'], policy: { allowed_cidrs: ['10.0.0.1/8'] } },
  },
  updateKey: {
    input: async ({ client }) => ({ id: await newKey(client), name: 'renamed' }),
    names: [field('id', 'key')],
    malformed: { policy: { refund_ceilings: [{ currency: 'JPY', per_refund: '1.5', per_day: '10' }] } },
  },
  rotateKey: {
    input: async ({ client }) => ({ id: await newKey(client), overlap_seconds: 60 }),
    names: [field('id', 'key')],
    malformed: { overlap_seconds: -1 },
  },
  revokeKey: { input: async ({ client }) => ({ id: await newKey(client) }), names: [field('id', 'key')] },

  getAnalytics: {
    input: ({ social }) => ({
      connection_id: social,
      group_by: 'post',
      metrics: ['likes', 'views'],
      limit: 1,
    }),
    names: [
      field('profile_id', 'profile'),
      field('connection_id', 'connection'),
      { thing: 'platform', put: (id) => ({ platform: [id], connection_id: undefined }) },
    ],
    malformed: { from: 'yesterday' },
  },

  listOrders: {
    input: ({ store }) => ({ connection_id: store, payment_status: ['paid'], sort: 'created_at', limit: 3 }),
    names: [field('profile_id', 'profile'), field('connection_id', 'connection')],
    malformed: { created_after: 'yesterday' },
  },
  getOrder: {
    input: ({ order }) => ({ order_id: order }),
    names: [field('order_id', 'order')],
  },
  quoteRefund: {
    input: ({ order }) => ({ order_id: order, amount: '1.00', reason: 'damaged' }),
    names: [field('order_id', 'order')],
    malformed: { amount: '1e3' },
  },
  refundOrder: {
    input: async (world) => ({ order_id: world.order, quote_id: await newQuote(world) }),
    tool: ({ order_id: _, ...rest }) => rest,
    names: [field('quote_id', 'quote')],
  },
  listRefunds: {
    input: ({ store }) => ({ connection_id: store, status: ['succeeded', 'failed'], limit: 1 }),
    names: [field('order_id', 'order'), field('connection_id', 'connection'), field('profile_id', 'profile')],
    malformed: { limit: 101 },
  },
  getRefund: {
    input: ({ refund }) => ({ refund_id: refund }),
    names: [field('refund_id', 'refund')],
  },
  recheckRefund: {
    input: ({ refund }) => ({ refund_id: refund }),
    names: [field('refund_id', 'refund')],
  },
  resolveRefund: {
    input: ({ refund }) => ({ refund_id: refund, outcome: 'succeeded' }),
    names: [field('refund_id', 'refund')],
    malformed: { outcome: 'perhaps' },
  },
};

/** What the same kind of id is called in a world. */
export const idOf = (world: World, thing: Thing): string =>
  ({
    profile: world.profile,
    connection: world.social,
    platform: 'somewhere_else',
    connect_session: world.connectSession,
    post: world.post,
    delivery: world.delivery,
    media: world.media,
    order: world.order,
    quote: world.quote,
    refund: world.refund,
    key: world.key,
  })[thing];

/** Ids that name nothing: one that could, a mangled one, one of another kind, one of no kind, one without end. */
export const nowhere = (thing: Thing): readonly string[] => {
  const [prefix, body] = {
    profile: ['prf', ''],
    connection: ['con', ''],
    platform: ['', 'no_such_platform'],
    connect_session: ['cns', ''],
    post: ['pst', ''],
    delivery: ['dlv', ''],
    media: ['med', ''],
    order: ['ord', 'AWNvbl8wMWthaDN2NXc4ZTJtNnI5dDB4NHk3ejFhYi9zb185ZjJr'],
    quote: ['quo', ''],
    refund: ['rfd', ''],
    key: ['key', ''],
  }[thing] as [string, string];
  const wellFormed =
    body === '' ? `${prefix}_01kah3v5w8e2m6r9t0x4y7z1ab` : prefix ? `${prefix}_${body}` : body;
  return [
    wellFormed,
    wellFormed.toUpperCase(),
    'key_01kah3v5w8e2m6r9t0x4y7z1ab',
    "' OR 1=1 --",
    '%00',
    'x'.repeat(2000),
  ];
};
