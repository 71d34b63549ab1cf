import type { Operation } from '@switchboard/operations';
import { connectAccount } from './sandbox-store.js';
import { findIdFields } from './id-fields.js';
import { getWorldId } from './world-ids.js';
import { asText, type JsonObject } from './json.js';
import { authorizeClient } from './oauth-client.js';
import {
  createDisabledWebhook,
  createPendingMedia,
  createReadKey,
  createApproval,
  createAttentionItem,
  createMissedPost,
  ensureAttentionItem,
  type TestWorld,
} from './test-world.js';

/** How an operation is called to compare its wires. */
export interface ParityRow {
  /** The REST input; created for each wire, so that a call that consumes a resource has its own. */
  readonly input: (world: TestWorld) => JsonObject | Promise<JsonObject>;
  /** The subset for MCP, when the tool is narrower. Compact responses are requested with `detail`. */
  readonly toolInput?: (input: JsonObject) => JsonObject;
  /**
   * Fields whose values the schema rejects on either wire; empty when validity depends only on what an ID
   * names.
   */
  readonly malformedFields?: JsonObject;
  /**
   * Other changes required to name an ID in a place (found by `id-fields.ts`), when the input does not allow
   * it otherwise.
   */
  readonly inputOverrides?: Readonly<Record<string, (world: TestWorld) => JsonObject>>;
  /** Makes REST wait as long as the tool does by default. */
  readonly waitsForResult?: boolean;
  /** A read whose response contains the current time. */
  readonly isTimeDependent?: boolean;
}

const createProfile = async ({ client }: TestWorld) =>
  asText((await client.expect(201, 'POST', '/profiles', { body: { name: 'Short-lived' } }))['id']);

/** A separate profile, so that a non-existent app does not affect connecting elsewhere. */
const createAppTarget = async (world: TestWorld) => ({
  id: 'sandbox_store',
  profile_id: await createProfile(world),
});
const appInput = { client_id: 'parity', client_secret: 'not a real one' };

const createScheduledPost = async ({ client, profile, social }: TestWorld) => {
  const body = {
    profile_id: profile,
    text: 'Never to be seen',
    scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
    targets: [{ connection_id: social }],
    allow_duplicate: true,
  };
  return asText((await client.expect(201, 'POST', '/social/posts', { body }))['id']);
};

const createPublishedPost = async ({ client, profile, social }: TestWorld) => {
  const body = {
    profile_id: profile,
    text: 'Soon to be deleted',
    targets: [{ connection_id: social }],
    allow_duplicate: true,
  };
  const headers = { Prefer: 'wait=20' };
  return asText((await client.expect(201, 'POST', '/social/posts', { body, headers }))['id']);
};

/** It still receives nothing: no other webhook is disabled by the service. */
const enableWebhook = async ({ client, webhook }: TestWorld) => {
  const body = { disabled: false, events: ['webhook.disabled'] };
  await client.expect(200, 'PATCH', `/webhooks/${webhook}`, { body });
  return webhook;
};

const createQuote = async ({ client, order }: TestWorld) => {
  const path = `/ecommerce/orders/${order}/refund/quote`;
  return asText((await client.expect(201, 'POST', path, { body: { amount: '1.00' } }))['id']);
};

const createDraftInput = ({ profile, social }: TestWorld) => ({
  profile_id: profile,
  text: 'The same on every wire',
  link: 'https://example.com/same',
  targets: [{ connection_id: social }],
  metadata: { campaign: 'parity' },
  allow_duplicate: true,
});

/** A target is a connection or a platform. */
const platformTargets = { targets: [{ platform: 'sandbox_store' }] };
const platformOverride = { 'targets.[].platform': () => platformTargets };

/** The operation's own example, in which each ID is replaced with the world's resource of that kind. */
function createExampleInput(operation: Operation, world: TestWorld): JsonObject {
  const kinds = new Map(findIdFields(operation).map(({ path, resourceType }) => [path, resourceType]));
  return Object.fromEntries(
    Object.entries(operation.example.input).map(([name, value]) => {
      const kind = kinds.get(name);
      return [name, kind === undefined ? value : getWorldId(world, kind)];
    }),
  );
}

/** How the suites call an operation: by its row, or by its example. */
export const getParityRow = (operation: Operation): ParityRow =>
  parityRows[operation.name] ?? { input: (world) => createExampleInput(operation, world) };

/**
 * The operations whose example is not sufficient: those that consume a resource, that take more than IDs of
 * existing resources, or whose tool is narrower than the route. Every other operation needs no row.
 */
export const parityRows: Readonly<Record<string, ParityRow>> = {
  listAttention: {
    input: async (world) => {
      await ensureAttentionItem(world);
      return { limit: 1 };
    },
    malformedFields: { limit: 0 },
  },
  // One event of several: where the page ends does not depend on what happens meanwhile.
  listEvents: { input: () => ({ limit: 1 }), malformedFields: { limit: 0, type: ['post.never'] } },
  getPlatformApp: { input: ({ profile }) => ({ id: 'sandbox_store', profile_id: profile }) },
  updatePlatformApp: {
    input: async (world) => ({ ...(await createAppTarget(world)), ...appInput }),
    malformedFields: { client_id: 7, client_secret: '' },
  },
  deletePlatformApp: {
    input: async (world) => {
      const place = await createAppTarget(world);
      const body = { profile_id: place.profile_id, ...appInput };
      await world.client.expect(200, 'PUT', `/platforms/${place.id}/app`, { body });
      return place;
    },
  },

  updateWorkspace: {
    input: () => ({ display_name: 'Lumen', return_urls: ['https://app.lumen.example/done'] }),
    malformedFields: { accent_color: 'red', return_urls: ['ftp://app.lumen.example'] },
  },

  listProfiles: { input: () => ({ limit: 1 }), malformedFields: { limit: 0 } },
  createProfile: {
    input: () => ({ name: 'Lumen', timezone: 'Europe/Madrid', metadata: { tier: 'gold' } }),
    malformedFields: { name: 7, timezone: 'Middle/Earth' },
  },
  updateProfile: {
    input: ({ profile }) => ({ id: profile, metadata: { touched: 'yes' } }),
    malformedFields: { metadata: { touched: 1 } },
  },
  deleteProfile: {
    input: async (world) => ({ id: await createProfile(world) }),
  },

  getQueue: { input: ({ profile }) => ({ id: profile, limit: 2 }), malformedFields: { limit: 0 } },
  updateQueue: {
    input: ({ profile }) => ({ id: profile, timezone: 'UTC', slots: [{ weekday: 'monday', time: '09:00' }] }),
    malformedFields: { slots: [{ weekday: 'someday', time: '9' }] },
  },

  startConnect: {
    input: ({ profile }) => ({ platform: 'sandbox_store', profile_id: profile }),
    inputOverrides: {
      'platforms.[]': () => ({ platform: undefined }),
      connection_id: () => ({ platform: undefined }),
    },
    malformedFields: { expires_in_minutes: 0 },
  },
  listConnections: {
    input: ({ profile }) => ({ profile_id: profile, platform: ['sandbox_social', 'sandbox_store'] }),
    malformedFields: { kind: 'sociable' },
  },
  getConnection: {
    input: ({ social }) => ({ id: social, refresh: false }),
    malformedFields: { refresh: 'perhaps' },
  },
  getPublishingOptions: {
    input: ({ social }) => ({ id: social }),
    isTimeDependent: true,
  },
  updateConnection: {
    input: ({ social }) => ({ id: social, label: 'Main account' }),
    malformedFields: { label: 7 },
  },
  disconnectConnection: {
    input: async ({ client, profile }) => ({
      id: await connectAccount(client, 'sandbox_social', 'tidal-museum', profile),
    }),
  },

  createPost: {
    input: createDraftInput,
    inputOverrides: platformOverride,
    malformedFields: { text: 7, link: 'ftp://nope' },
    waitsForResult: true,
  },
  validatePost: {
    input: createDraftInput,
    inputOverrides: platformOverride,
    malformedFields: { targets: 'everywhere' },
    isTimeDependent: true,
  },
  listPosts: {
    input: ({ social }) => ({ connection_id: social, status: ['published'], sort: 'scheduled_at', limit: 1 }),
    malformedFields: { status: ['imagined'] },
  },
  cancelPost: {
    input: async (world) => ({ id: await createScheduledPost(world) }),
  },

  createPosts: {
    input: (world) => ({ posts: [createDraftInput(world), { ...createDraftInput(world), draft: true }] }),
    inputOverrides: {
      'posts.[].targets.[].platform': ({ profile }) => ({
        posts: [{ profile_id: profile, text: 'Hello', ...platformTargets }],
      }),
    },
    malformedFields: { posts: [] },
  },
  updatePost: {
    input: async (world) => ({
      id: await createScheduledPost(world),
      text: 'Changed on every wire',
      link: null,
      metadata: { campaign: 'parity' },
      allow_duplicate: true,
    }),
    inputOverrides: platformOverride,
    malformedFields: { text: 7, link: 'ftp://nope' },
  },
  retryPost: {
    input: async (world) => ({ id: await createMissedPost(world), allow_duplicate: true }),
    malformedFields: { delivery_ids: [] },
    waitsForResult: true,
  },
  unpublishPost: {
    input: async (world) => ({ id: await createPublishedPost(world) }),
    malformedFields: { delivery_ids: [] },
  },
  resolveDelivery: {
    input: ({ post, delivery }) => ({ id: post, delivery_id: delivery, outcome: 'published', note: 'Seen.' }),
    malformedFields: { outcome: 'perhaps', note: '' },
  },

  createMedia: {
    input: () => ({ url: 'https://files.invalid/cat.png', alt_text: 'A cat' }),
    malformedFields: { url: 7, alt_text: 'x'.repeat(5001) },
  },
  createMediaUpload: {
    input: () => ({ type: 'image/png', bytes: 1000, alt_text: 'A cat' }),
    malformedFields: { type: 7, bytes: 0 },
  },
  listMedia: { input: () => ({ limit: 1 }), malformedFields: { limit: 0 } },
  deleteMedia: {
    input: async ({ client }) => ({ id: await createPendingMedia(client) }),
  },

  listApprovals: {
    input: () => ({ status: ['pending'], limit: 1 }),
    malformedFields: { limit: 0, status: ['maybe'] },
  },
  approveApproval: {
    input: async (world) => ({ id: await createApproval(world), note: 'Go ahead.' }),
    malformedFields: { note: 7 },
  },
  rejectApproval: {
    input: async (world) => ({ id: await createApproval(world), note: 'The price is wrong.' }),
    malformedFields: { note: '' },
  },

  dismissAttention: { input: async (world) => ({ id: await createAttentionItem(world) }) },

  listAudit: { input: () => ({ limit: 1 }), malformedFields: { limit: 0 } },
  listKeys: { input: () => ({ limit: 1 }), malformedFields: { limit: 0 } },
  getKey: { input: async ({ client }) => ({ id: await createReadKey(client) }) },
  createKey: {
    input: () => ({ name: 'parity', scopes: ['posts:read'], policy: { hide_personal_data: true } }),
    malformedFields: { name: 7, scopes: ['everything'], policy: { allowed_cidrs: ['10.0.0.1/8'] } },
  },
  updateKey: {
    input: async ({ client }) => ({ id: await createReadKey(client), name: 'renamed' }),
    malformedFields: { policy: { refund_ceilings: [{ currency: 'JPY', per_refund: '1.5', per_day: '10' }] } },
  },
  rotateKey: {
    input: async ({ client }) => ({ id: await createReadKey(client), overlap_seconds: 60 }),
    malformedFields: { overlap_seconds: -1 },
  },
  revokeKey: { input: async ({ client }) => ({ id: await createReadKey(client) }) },
  createInvitation: {
    input: async ({ client }) => ({ id: await createReadKey(client), max_clients: 2 }),
    malformedFields: { expires_in_minutes: 4, max_clients: 0 },
  },
  listClients: { input: ({ key }) => ({ id: key, limit: 1 }), malformedFields: { limit: 0 } },
  revokeClient: {
    input: async ({ client }) => {
      const id = await createReadKey(client);
      return { id, client_id: await authorizeClient(client, id) };
    },
  },

  listWebhooks: { input: () => ({ limit: 1 }), malformedFields: { limit: 0 } },
  createWebhook: {
    input: ({ webhookUrl, profile }) => ({
      url: webhookUrl,
      events: ['post.*'],
      profile_ids: [profile],
      disabled: true,
    }),
    malformedFields: { url: 7, events: ['order.vanished'] },
  },
  updateWebhook: {
    input: async (world) => ({ id: await createDisabledWebhook(world), events: ['media.failed'] }),
    malformedFields: { events: [], hide_personal_data: 'perhaps' },
  },
  deleteWebhook: { input: async (world) => ({ id: await createDisabledWebhook(world) }) },
  rotateWebhookSecret: {
    input: async (world) => ({ id: await createDisabledWebhook(world), overlap_seconds: 60 }),
    malformedFields: { overlap_seconds: -1 },
  },
  listWebhookDeliveries: {
    input: ({ webhook }) => ({ id: webhook, limit: 1 }),
    malformedFields: { limit: 0, status: ['lost'] },
  },
  redeliverWebhookDelivery: {
    input: async (world) => ({ id: await enableWebhook(world), delivery_id: world.webhookDelivery }),
  },
  redeliverWebhookEvents: {
    input: async (world) => ({ id: await enableWebhook(world), since: '2026-11-20T00:00:00Z' }),
    malformedFields: { since: 'yesterday' },
  },

  getAnalytics: {
    input: ({ social }) => ({
      connection_id: social,
      group_by: 'post',
      metrics: ['likes', 'views'],
      limit: 1,
    }),
    inputOverrides: { 'platform.[]': () => ({ connection_id: undefined }) },
    malformedFields: { from: 'yesterday' },
  },
  getBestTimes: {
    input: ({ social }) => ({ connection_id: social, timezone: 'Asia/Kathmandu' }),
    inputOverrides: { 'platform.[]': () => ({ connection_id: undefined }) },
    malformedFields: { from: 'yesterday' },
  },

  listOrders: {
    input: ({ store }) => ({ connection_id: store, payment_status: ['paid'], sort: 'created_at', limit: 3 }),
    malformedFields: { created_after: 'yesterday' },
  },
  quoteRefund: {
    input: ({ order }) => ({ order_id: order, amount: '1.00', reason: 'damaged' }),
    malformedFields: { amount: '1e3' },
  },
  refundOrder: {
    input: async (world) => ({ order_id: world.order, quote_id: await createQuote(world) }),
    inputOverrides: { order_id: () => ({ quote_id: undefined, amount: '1.00' }) },
    toolInput: ({ order_id: _, ...rest }) => rest,
  },
  listRefunds: {
    input: ({ store }) => ({ connection_id: store, status: ['succeeded', 'failed'], limit: 1 }),
    malformedFields: { limit: 101 },
  },
  resolveRefund: {
    input: ({ refund }) => ({ refund_id: refund, outcome: 'succeeded' }),
    malformedFields: { outcome: 'perhaps' },
  },
};
