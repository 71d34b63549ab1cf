import type { PlatformName } from '../world.js';

/** The scopes of an app, described for the user who grants them. */
export const SCOPES: Readonly<Record<PlatformName, Readonly<Record<string, string>>>> = {
  social: {
    profile: 'See your name, profile image and profile',
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
