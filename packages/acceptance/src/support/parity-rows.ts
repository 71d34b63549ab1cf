import type { Operation } from '@switchboard/operations';
import { connectAccount } from './connected-store.js';
import { idPlaces } from './id-places.js';
import { idOf } from './ids-of.js';
import { text, type JsonObject } from './json.js';
import { announceMedia, newKey, newMissedPost, oneWaits, type World } from './world.js';

/** How an operation is called to compare its wires. */
export interface Row {
  /** What REST is given; made anew for each wire, so that a call which uses something up finds its own. */
  readonly input: (world: World) => JsonObject | Promise<JsonObject>;
  /** What MCP is given of it, where the tool is narrower. */
  readonly tool?: (input: JsonObject) => JsonObject;
  /** Fields whose values the schema refuses on either wire; none where everything is a matter of what an id names. */
  readonly malformed?: JsonObject;
  /** What else has to change for an id to be named in a place (`id-places.ts` finds those), where the input leaves no room for it. */
  readonly around?: Readonly<Record<string, (world: World) => JsonObject>>;
  /** Waits on REST as long as the tool does by itself. */
  readonly waits?: boolean;
  /** Reads, and answers with the time of asking. */
  readonly timely?: boolean;
}

const newProfile = async ({ client }: World) =>
  text((await client.expect(201, 'POST', '/profiles', { body: { name: 'Short-lived' } }))['id']);

/** A profile of its own, so that nobody's connecting is disturbed by an app that does not exist. */
const newAppPlace = async (world: World) => ({ id: 'sandbox_store', profile_id: await newProfile(world) });
const newApp = { client_id: 'parity', client_secret: 'not a real one' };

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

/** A target is a connection or a platform. */
const byPlatform = { targets: [{ platform: 'sandbox_store' }] };
const atPlatform = { 'targets.[].platform': () => byPlatform };

/** The operation's own example, in which each id names what the world has of its kind. */
function exampleInput(operation: Operation, world: World): JsonObject {
  const kinds = new Map(idPlaces(operation).map(({ path, thing }) => [path, thing]));
  return Object.fromEntries(
    Object.entries(operation.example.input).map(([name, value]) => {
      const kind = kinds.get(name);
      return [name, kind === undefined ? value : idOf(world, kind)];
    }),
  );
}

/** How the suites call an operation: by its row, or else by its example. */
export const parityRow = (operation: Operation): Row =>
  parityRows[operation.name] ?? { input: (world) => exampleInput(operation, world) };

/**
 * The operations whose example does not serve: those that use something up, that take more than the ids of existing objects, or
 * whose tool is narrower than the route. Every other operation needs no row.
 */
export const parityRows: Readonly<Record<string, Row>> = {
  listAttention: {
    input: async (world) => {
      await oneWaits(world);
      return { limit: 1 };
    },
    malformed: { limit: 0 },
  },
  getPlatformApp: { input: ({ profile }) => ({ id: 'sandbox_store', profile_id: profile }) },
  updatePlatformApp: {
    input: async (world) => ({ ...(await newAppPlace(world)), ...newApp }),
    malformed: { client_id: 7, client_secret: '' },
  },
  deletePlatformApp: {
    input: async (world) => {
      const place = await newAppPlace(world);
      const body = { profile_id: place.profile_id, ...newApp };
      await world.client.expect(200, 'PUT', `/platforms/${place.id}/app`, { body });
      return place;
    },
  },

  updateWorkspace: {
    input: () => ({ display_name: 'Lumen', return_urls: ['https://app.lumen.example/done'] }),
    malformed: { accent_color: 'red', return_urls: ['ftp://app.lumen.example'] },
  },

  listProfiles: { input: () => ({ limit: 1 }), malformed: { limit: 0 } },
  createProfile: {
    input: () => ({ name: 'Lumen', timezone: 'Europe/Madrid', metadata: { tier: 'gold' } }),
    malformed: { name: 7, timezone: 'Middle/Earth' },
  },
  updateProfile: {
    input: ({ profile }) => ({ id: profile, metadata: { touched: 'yes' } }),
    malformed: { metadata: { touched: 1 } },
  },
  deleteProfile: {
    input: async (world) => ({ id: await newProfile(world) }),
  },

  startConnect: {
    input: ({ profile }) => ({ platform: 'sandbox_store', profile_id: profile }),
    around: {
      'platforms.[]': () => ({ platform: undefined }),
      connection_id: () => ({ platform: undefined }),
    },
    malformed: { expires_in_minutes: 0 },
  },
  listConnections: {
    input: ({ profile }) => ({ profile_id: profile, platform: ['sandbox_social', 'sandbox_store'] }),
    malformed: { kind: 'sociable' },
  },
  getConnection: {
    input: ({ social }) => ({ id: social, refresh: false }),
    malformed: { refresh: 'perhaps' },
  },
  getPublishingOptions: {
    input: ({ social }) => ({ id: social }),
    timely: true,
  },
  updateConnection: {
    input: ({ social }) => ({ id: social, label: 'Main account' }),
    malformed: { label: 7 },
  },
  disconnect: {
    input: async ({ client, profile }) => ({
      id: await connectAccount(client, 'sandbox_social', 'tidal-museum', profile),
    }),
  },

  createPost: { input: draft, around: atPlatform, malformed: { text: 7, link: 'ftp://nope' }, waits: true },
  validatePost: {
    input: draft,
    around: atPlatform,
    malformed: { targets: 'everywhere' },
    timely: true,
  },
  listPosts: {
    input: ({ social }) => ({ connection_id: social, status: ['published'], sort: 'scheduled_at', limit: 1 }),
    tool: (input) => ({ ...input, detail: true }),
    malformed: { status: ['imagined'] },
  },
  cancelPost: {
    input: async (world) => ({ id: await newScheduledPost(world) }),
  },

  createPosts: {
    input: (world) => ({ posts: [draft(world), { ...draft(world), draft: true }] }),
    around: {
      'posts.[].targets.[].platform': ({ profile }) => ({
        posts: [{ profile_id: profile, text: 'Hello', ...byPlatform }],
      }),
    },
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
    around: atPlatform,
    malformed: { text: 7, link: 'ftp://nope' },
  },
  retryPost: {
    input: async (world) => ({ id: await newMissedPost(world), allow_duplicate: true }),
    malformed: { delivery_ids: [] },
    waits: true,
  },
  unpublishPost: {
    input: async (world) => ({ id: await newPublishedPost(world) }),
    malformed: { delivery_ids: [] },
  },
  resolveDelivery: {
    input: ({ post, delivery }) => ({ id: post, delivery_id: delivery, outcome: 'published', note: 'Seen.' }),
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
  deleteMedia: {
    input: async ({ client }) => ({ id: await announceMedia(client) }),
  },

  listAudit: { input: () => ({ limit: 1 }), malformed: { limit: 0 } },
  listKeys: { input: () => ({ limit: 1 }), malformed: { limit: 0 } },
  getKey: { input: async ({ client }) => ({ id: await newKey(client) }) },
  createKey: {
    input: () => ({ name: 'parity', scopes: ['posts:read'], policy: { hide_personal_data: true } }),
    malformed: { name: 7, scopes: ['everything'], policy: { allowed_cidrs: ['10.0.0.1/8'] } },
  },
  updateKey: {
    input: async ({ client }) => ({ id: await newKey(client), name: 'renamed' }),
    malformed: { policy: { refund_ceilings: [{ currency: 'JPY', per_refund: '1.5', per_day: '10' }] } },
  },
  rotateKey: {
    input: async ({ client }) => ({ id: await newKey(client), overlap_seconds: 60 }),
    malformed: { overlap_seconds: -1 },
  },
  revokeKey: { input: async ({ client }) => ({ id: await newKey(client) }) },

  getAnalytics: {
    input: ({ social }) => ({
      connection_id: social,
      group_by: 'post',
      metrics: ['likes', 'views'],
      limit: 1,
    }),
    tool: (input) => ({ ...input, detail: true }),
    around: { 'platform.[]': () => ({ connection_id: undefined }) },
    malformed: { from: 'yesterday' },
  },

  listOrders: {
    input: ({ store }) => ({ connection_id: store, payment_status: ['paid'], sort: 'created_at', limit: 3 }),
    tool: (input) => ({ ...input, detail: true }),
    malformed: { created_after: 'yesterday' },
  },
  quoteRefund: {
    input: ({ order }) => ({ order_id: order, amount: '1.00', reason: 'damaged' }),
    malformed: { amount: '1e3' },
  },
  refundOrder: {
    input: async (world) => ({ order_id: world.order, quote_id: await newQuote(world) }),
    around: { order_id: () => ({ quote_id: undefined, amount: '1.00' }) },
    tool: ({ order_id: _, ...rest }) => rest,
  },
  listRefunds: {
    input: ({ store }) => ({ connection_id: store, status: ['succeeded', 'failed'], limit: 1 }),
    malformed: { limit: 101 },
  },
  resolveRefund: {
    input: ({ refund }) => ({ refund_id: refund, outcome: 'succeeded' }),
    malformed: { outcome: 'perhaps' },
  },
};
