import type { Operation } from '@switchboard/operations';

const descriptions: Readonly<Record<string, string>> = {
  me: 'The calling key: its scopes and access.',
  workspace: 'The tenant: branding and settings of its hosted pages.',
  profiles: 'Brands or end customers. Every connection belongs to one.',
  platforms: 'Supported social networks and stores, their capabilities and requirements.',
  connect: 'Connecting an account through a hosted page and the platform’s consent screen.',
  connections: 'Connected accounts.',
  posts: 'Publishing and scheduling, with a delivery for every connection.',
  media: 'Images, videos and documents for posts.',
  analytics:
    'Metrics of posts and accounts on all platforms. A metric that a platform does not report is null, never 0.',
  orders: 'Orders of online stores, read live and merged, and refunding them.',
  refunds: 'Refunds, and resolving those with an unknown outcome.',
  approvals: 'Pending approvals.',
  attention: 'What requires a person’s action.',
  webhooks:
    'Messages about events, signed as Standard Webhooks specifies: `webhook-id` is the id of the event, the same in every attempt, `webhook-timestamp` the time of the attempt, `webhook-signature` has one signature for each valid secret.',
  events: 'Events.',
  keys: 'API keys.',
  audit: 'Audit log.',
};

/** `/social/posts/:id` belongs to posts: the two halves of the API are not areas. */
export function areaOf({ http }: Operation): string {
  const [first = '', second] = http.path.split('/').filter((part) => part !== '');
  return (first === 'social' || first === 'ecommerce') && second !== undefined ? second : first;
}

/** Each area once, in the order of the table above; an area that is missing in the table comes last. */
export function tagsOf(areas: readonly string[]): readonly object[] {
  const used = new Set(areas);
  const order = [...Object.keys(descriptions).filter((area) => used.has(area)), ...used];
  return [...new Set(order)].map((name) => ({
    name,
    description: descriptions[name] ?? `Everything about ${name}.`,
  }));
}
