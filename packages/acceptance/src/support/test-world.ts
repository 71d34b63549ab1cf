import { eventually } from './eventually.js';
import { connectAccount, refundableOrders } from './sandbox-store.js';
import { asObjects, asText, type JsonObject } from './json.js';
import { authorizeClient } from './oauth-client.js';
import { restClient, type RestClient } from './rest-client.js';

/** One resource of every kind that an ID can name. */
export interface TestWorld {
  readonly client: RestClient;
  readonly profile: string;
  readonly social: string;
  readonly store: string;
  readonly post: string;
  readonly delivery: string;
  readonly order: string;
  readonly quote: string;
  readonly refund: string;
  readonly connectSession: string;
  readonly media: string;
  readonly key: string;
  /** An OAuth client of the key. */
  readonly authorizedClient: string;
  /** A key whose posts the world's own key approves. */
  readonly requesterKey: string;
  /** Of a post that is scheduled for tomorrow. */
  readonly approval: string;
  readonly attentionItem: string;
  /** Disabled, so that nothing is delivered in the background. */
  readonly webhook: string;
  readonly webhookDelivery: string;
  readonly webhookUrl: string;
}

export interface WorldAccounts {
  readonly social: string;
  readonly store: string;
  /** The name of a profile created for the world; the workspace's first profile when omitted. */
  readonly profile?: string;
}

/**
 * Fills a workspace through its own API: two accounts, a published post, an order, a quote for it and a
 * refund.
 */
export async function buildTestWorld(url: string, key: string, accounts: WorldAccounts): Promise<TestWorld> {
  const client = restClient(url, key);
  const profile = await getProfile(client, accounts.profile);
  const social = await connectAccount(client, 'sandbox_social', accounts.social, profile);
  const store = await connectAccount(client, 'sandbox_store', accounts.store, profile);
  const session = await client.expect(201, 'POST', '/connect/url', {
    body: { platform: 'sandbox_social', profile_id: profile },
  });
  const post = await client.expect(201, 'POST', '/social/posts', {
    body: {
      profile_id: profile,
      text: `The world of ${accounts.social}`,
      targets: [{ connection_id: social }],
    },
    headers: { Prefer: 'wait=20' },
  });
  const [order, refunded] = await refundableOrders(client, store);
  if (!order || !refunded) throw new Error(`${accounts.store} has no refundable orders`);
  const refund = await client.expect(201, 'POST', `/ecommerce/orders/${refunded.id}/refund`, {
    body: { amount: '1.00' },
  });
  const quote = await client.expect(201, 'POST', `/ecommerce/orders/${order.id}/refund/quote`, {
    body: { amount: '1.00' },
  });
  const requesterKey = await createRequesterKey(client);
  // The sandbox accepts webhooks.
  const webhookUrl = new URL('/webhooks', asText(asObjects(post['deliveries'])[0]?.['url'])).href;
  const readKey = await createReadKey(client);
  return {
    ...(await createSettledWebhook(client, webhookUrl)),
    webhookUrl,
    client,
    profile,
    social,
    store,
    post: asText(post['id']),
    delivery: asText(asObjects(post['deliveries'])[0]?.['id']),
    order: order.id,
    quote: asText(quote['id']),
    refund: asText(refund['id']),
    connectSession: asText(session['id']),
    media: await createPendingMedia(client),
    key: readKey,
    authorizedClient: await authorizeClient(client, readKey),
    requesterKey,
    approval: await createApproval({ client, requesterKey, profile, social }),
    attentionItem: await createAttentionItem({ client, profile, social }),
  };
}

async function createRequesterKey(client: RestClient): Promise<string> {
  const body = { name: 'agent', scopes: ['posts:write'], policy: { approval: { posts: 'always' } } };
  return asText((await client.expect(201, 'POST', '/keys', { body }))['secret']);
}

/** A pending request for the approval of a post. */
export async function createApproval({
  client,
  requesterKey,
  profile,
  social,
}: Pick<TestWorld, 'client' | 'requesterKey' | 'profile' | 'social'>): Promise<string> {
  const body = {
    profile_id: profile,
    text: 'Approved first',
    scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
    targets: [{ connection_id: social }],
    allow_duplicate: true,
  };
  const requester = restClient(client.url, requesterKey);
  const { approval } = await requester.expect(201, 'POST', '/social/posts', { body });
  return asText((approval as JsonObject)['id']);
}

async function getProfile(client: RestClient, name: string | undefined): Promise<string> {
  if (name !== undefined)
    return asText((await client.expect(201, 'POST', '/profiles', { body: { name } }))['id']);
  const { data } = await client.expect(200, 'GET', '/profiles');
  return asText(asObjects(data)[0]?.['id']);
}

/** With two deliveries. */
async function createSettledWebhook(client: RestClient, url: string) {
  const body = { url, events: ['key.created'] };
  const webhook = asText((await client.expect(201, 'POST', '/webhooks', { body }))['id']);
  await createReadKey(client);
  await createReadKey(client);
  const deliveries = await eventually('two events are delivered', async () => {
    const query = { status: 'delivered' };
    const { data } = await client.expect(200, 'GET', `/webhooks/${webhook}/deliveries`, { query });
    return asObjects(data).length === 2 ? asObjects(data) : null;
  });
  await client.expect(200, 'PATCH', `/webhooks/${webhook}`, { body: { disabled: true } });
  return { webhook, webhookDelivery: asText(deliveries[0]?.['id']) };
}

/** Receives nothing. */
export const createDisabledWebhook = async ({ client, webhookUrl }: TestWorld): Promise<string> => {
  const body = { url: webhookUrl, events: ['key.*'], disabled: true };
  return asText((await client.expect(201, 'POST', '/webhooks', { body }))['id']);
};

/** One more of every listed resource, so that a page of one item is not the last. */
export async function addToLists(world: TestWorld): Promise<void> {
  const { client, profile, social, store } = world;
  await getProfile(client, 'Another');
  await client.expect(201, 'POST', '/social/posts', {
    body: { profile_id: profile, text: 'Another', targets: [{ connection_id: social }] },
    headers: { Prefer: 'wait=20' },
  });
  const order = (await refundableOrders(client, store)).find(({ id }) => id !== world.order);
  const path = `/ecommerce/orders/${asText(order?.id)}/refund`;
  await client.expect(201, 'POST', path, { body: { amount: '1.00' } });
  await createPendingMedia(client);
  await authorizeClient(client, world.key);
  await createDisabledWebhook(world);
  await createApproval(world);
  await createMissedPost(world);
  await createMissedPost(world);
}

/** Media whose bytes are never uploaded: it stays pending for an hour. */
export async function createPendingMedia(client: RestClient): Promise<string> {
  const body = { type: 'image/png', bytes: 1000 };
  return asText((await client.expect(201, 'POST', '/social/media/uploads', { body }))['media_id']);
}

/** A key that may only read posts. */
export const createReadKey = async (client: RestClient): Promise<string> =>
  asText(
    (await client.expect(201, 'POST', '/keys', { body: { name: 'spare', scopes: ['posts:read'] } }))['id'],
  );

/** A millisecond is too short to publish. */
export const createMissedPost = async ({
  client,
  profile,
  social,
}: Pick<TestWorld, 'client' | 'profile' | 'social'>) => {
  const dueMs = Date.now() + 1000;
  const body = {
    profile_id: profile,
    text: 'Too late',
    scheduled_at: new Date(dueMs).toISOString(),
    not_after: new Date(dueMs + 1).toISOString(),
    targets: [{ connection_id: social }],
    allow_duplicate: true,
  };
  const id = asText((await client.expect(201, 'POST', '/social/posts', { body }))['id']);
  await client.expect(200, 'GET', `/social/posts/${id}`, { headers: { Prefer: 'wait=20' } });
  return id;
};

/** About a post of its own. */
export async function createAttentionItem(
  world: Pick<TestWorld, 'client' | 'profile' | 'social'>,
): Promise<string> {
  const post = await createMissedPost(world);
  return eventually('the missed post is listed', async () => {
    const { data } = await world.client.expect(200, 'GET', '/attention', { query: { limit: 100 } });
    const item = asObjects(data).find(({ post_id }) => post_id === post);
    return item ? asText(item['id']) : null;
  });
}

/** Creates an open action, independently of other tests. */
export async function ensureAttentionItem(world: TestWorld): Promise<void> {
  const { data } = await world.client.expect(200, 'GET', '/attention', { query: { limit: 1 } });
  if (Array.isArray(data) && data.length === 0) await createMissedPost(world);
}
