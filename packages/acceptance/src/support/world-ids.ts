import type { ResourceType } from './id-fields.js';
import type { TestWorld } from './test-world.js';

/** What the same kind of thing is called in a world. */
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
  };
  const id = ids[resourceType];
  if (id === undefined) throw new Error(`A world has no ${resourceType}: give it one in world.ts.`);
  return id;
}

/** Nobody's, and like somebody's to the last letter. */
export function createUnknownId(id: string): string {
  const [prefix, part] = id.split('_', 2);
  if (prefix === 'sandbox') return 'no_such_platform';
  return prefix === 'ord'
    ? 'ord_AWNvbl8wMWthaDN2NXc4ZTJtNnI5dDB4NHk3ejFhYi9zb185ZjJr'
    : `${prefix}_01kah3v5w8e2m6r9t0x4y7z1ab`.slice(0, 5 + (part?.length ?? 0));
}

/** Ids of no form: mangled, of another kind, of no kind, without end. */
export const createMalformedIds = (id: string): readonly string[] => [
  createUnknownId(id).toUpperCase(),
  `${id}0`,
  'wsp_01kah3v5w8e2m6r9t0x4y7z1ab',
  "' OR 1=1 --",
  '%00',
  'x'.repeat(2000),
];
