import type { PlatformName } from '../world.js';

/** What an app may be allowed, in words for the person who allows it. */
export const SCOPES: Readonly<Record<PlatformName, Readonly<Record<string, string>>>> = {
  social: {
    profile: 'See your name, picture and profile',
    'posts:write': 'Publish and delete posts for you',
    'posts:read': 'Read your posts',
    'insights:read': 'See how your posts and your account perform',
  },
  store: {
    profile: 'See your shop’s name and address',
    'orders:read': 'Read orders, customers and payments',
    'refunds:write': 'Refund payments of your customers',
  },
};

export function scopesOf(platform: PlatformName): readonly string[] {
  return Object.keys(SCOPES[platform]);
}
