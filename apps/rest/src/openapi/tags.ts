import type { Operation } from '@switchboard/operations';

const descriptions: Readonly<Record<string, string>> = {
  me: 'The key itself: what it may do and what it reaches.',
  workspace: 'The tenant: what its hosted pages show and allow.',
  profiles: 'Brands or end customers. Every connection belongs to one.',
  platforms: 'Which social networks and stores there are, what each can do and what it needs.',
  connect: 'Connecting an account: a hosted page that leads through the platform’s own consent.',
  connections: 'Connected accounts.',
  posts: 'Publishing and scheduling, with a delivery for every connection.',
  media: 'Images, videos and documents for posts.',
  analytics:
    'Numbers of posts and accounts over all platforms. What a platform does not give is null, never 0.',
  orders: 'Orders of online stores, read live and merged, and refunding them.',
  refunds: 'Refunds that were made, and settling those whose outcome is not known.',
  approvals: 'What waits for a person’s yes.',
  attention: 'Everything that waits for a person.',
  webhooks: 'Being told of events.',
  events: 'What has happened.',
  keys: 'API keys.',
  audit: 'Who did what.',
};

/** `/social/posts/:id` is about posts: the two halves of the API are no areas of their own. */
export function areaOf({ http }: Operation): string {
  const [first = '', second] = http.path.split('/').filter((part) => part !== '');
  return (first === 'social' || first === 'ecommerce') && second !== undefined ? second : first;
}

/** Each area once, in the order of the table above; one that the table does not know yet comes last. */
export function tagsOf(areas: readonly string[]): readonly object[] {
  const used = new Set(areas);
  const order = [...Object.keys(descriptions).filter((area) => used.has(area)), ...used];
  return [...new Set(order)].map((name) => ({
    name,
    description: descriptions[name] ?? `Everything about ${name}.`,
  }));
}
