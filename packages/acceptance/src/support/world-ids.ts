import type { ResourceType } from './id-fields.js';
import type { TestWorld } from './test-world.js';

/** The resource of the same kind in a world. */
export function getWorldId(world: TestWorld, resourceType: ResourceType): string {
  const ids: Partial<Record<ResourceType, string>> = {
    profile: world.profile,
    connection: world.social,
    platform: 'sandbox_social',
    connect_session: world.connectSession,
    post: world.post,
    delivery: world.delivery,
    media: world.media,
    order: world.order,
    quote: world.quote,
    refund: world.refund,
    key: world.key,
    client: world.authorizedClient,
    approval: world.approval,
    attention_item: world.attentionItem,
    webhook: world.webhook,
    webhook_delivery: world.webhookDelivery,
  };
  const id = ids[resourceType];
  if (id === undefined) throw new Error(`A world has no ${resourceType}: add one in test-world.ts.`);
  return id;
}

/** A well-formed ID that was never assigned, similar to an existing one in all but the last letter. */
export function createUnknownId(id: string): string {
  const [prefix, part] = id.split('_', 2);
  if (prefix === 'sandbox') return 'no_such_platform';
  return prefix === 'ord'
    ? 'ord_AWNvbl8wMWthaDN2NXc4ZTJtNnI5dDB4NHk3ejFhYi9zb185ZjJr'
    : `${prefix}_01kah3v5w8e2m6r9t0x4y7z1ab`.slice(0, 5 + (part?.length ?? 0));
}

/** Malformed IDs: altered, of another kind, without a kind, too long. */
export const createMalformedIds = (id: string): readonly string[] => [
  createUnknownId(id).toUpperCase(),
  `${id}0`,
  'wsp_01kah3v5w8e2m6r9t0x4y7z1ab',
  "' OR 1=1 --",
  '%00',
  'x'.repeat(2000),
];
