import type { PlatformFacts } from '@switchboard/domain';

/** What whoever agrees lets us do, in sentences about the account. */
export function allowed({ manifest, abilities }: PlatformFacts): readonly string[] {
  const { publishing, analytics, orders, refunds } = abilities;
  const social = manifest.kind === 'social';
  return [
    social ? 'See the account’s name, handle and picture' : 'See the store’s name and address',
    ...(publishing
      ? [publishing.unpublish ? 'Publish posts, and delete posts that it published' : 'Publish posts']
      : []),
    ...(publishing?.readBack ? ['Read the account’s posts, to make sure nothing is published twice'] : []),
    ...(analytics ? [analyticsOf(analytics)] : []),
    ...(orders ? ['Read orders, with the customers’ names, e-mail addresses and postal addresses'] : []),
    ...(refunds ? ['Refund orders: money goes back to your customers'] : []),
  ];
}

function analyticsOf({ posts, account }: { readonly posts: boolean; readonly account: boolean }): string {
  if (posts && account)
    return 'Read how many people see, like and share the posts, and how many follow the account';
  return posts
    ? 'Read how many people see, like and share the posts'
    : 'Read how many people follow the account';
}

/** One line for a list of platforms. */
export function inShort({ manifest, abilities }: PlatformFacts): string {
  const { publishing, analytics, orders, refunds } = abilities;
  const parts = [
    publishing && 'publish posts',
    analytics && 'read numbers',
    orders && 'read orders',
    refunds && 'make refunds',
  ].filter((part) => typeof part === 'string');
  const text =
    parts.length > 1 ? `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}` : (parts[0] ?? 'see its name');
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return manifest.sandbox ? `${sentence}. For trying out, nothing is real.` : sentence;
}

/** The permissions as the platform's own consent page will name them. */
export function ownWords({ manifest }: PlatformFacts): readonly string[] {
  const asked = manifest.connect.flatMap((way) => way.oauth2?.permissions ?? []);
  return [...new Set([...asked, ...Object.values(manifest.permissions).flat()])];
}
