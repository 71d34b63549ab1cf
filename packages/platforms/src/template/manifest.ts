import type { Manifest } from '@switchboard/platform-kit';
import { oauthLogin, socialPlatform } from '@switchboard/platform-kit/manifest-defaults';

export const manifest: Manifest = {
  ...socialPlatform,
  id: 'acme',
  name: 'Acme',
  connect: [
    oauthLogin('Continue to Acme', {
      authorizePath: '/oauth/authorize',
      tokenPath: '/oauth/token',
      revokePath: '/oauth/revoke',
      permissions: ['posts.read', 'posts.write'],
      pkce: true,
      clientAuth: 'header',
    }),
  ],
  permissions: { publishing: ['posts.write', 'posts.read'] },
  text: { max: 280, unit: 'code points', required: true },
  media: {
    max: 4,
    mixed: false,
    required: false,
    images: { max: 4, types: ['image/jpeg', 'image/png'], maxBytes: 2_000_000 },
    videos: { max: 1, types: ['video/mp4'], maxBytes: 50_000_000, maxSeconds: 120 },
    documents: null,
    altTextMax: 500,
    fetches: false,
  },
  title: { max: 80, unit: 'code points', required: false },
  thread: true,
  firstComment: { max: 140 },
  // No choices: only the account knows its boards, and `publishing.options` requests them.
  options: [{ name: 'board', label: 'Board', type: 'choice', required: false }],
  setup: { consoleUrl: 'https://developers.acme.example/', reviewNeeded: false, pitfalls: [] },
  baseUrl: 'https://api.acme.example',
  authBaseUrl: 'https://acme.example',
  apiVersion: 'v1',
  evidence: 'simulator',
  verifiedOn: '2026-11-21',
  docsUrl: 'https://developers.acme.example/docs',
};
