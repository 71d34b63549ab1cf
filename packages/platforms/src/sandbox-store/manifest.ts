import type { Manifest } from '@switchboard/platform-kit';
import { oauthLogin, plainRefunds, storePlatform } from '@switchboard/platform-kit/manifest-defaults';

export const manifest: Manifest = {
  ...storePlatform,
  id: 'sandbox_store',
  name: 'Sandbox Store',
  sandbox: true,
  connect: [
    oauthLogin('Continue to Sandbox Store', {
      authorizePath: '/store/oauth/authorize',
      tokenPath: '/store/oauth/token',
      revokePath: '/store/oauth/revoke',
      permissions: ['profile', 'orders:read', 'refunds:write'],
      pkce: true,
      clientAuth: 'header',
      issuerPath: '/store',
    }),
  ],
  permissions: {
    orders: ['orders:read'],
    // A refund is looked up in the order's own list.
    refunds: ['refunds:write', 'orders:read'],
  },
  refunds: {
    ...plainRefunds,
    lines: true,
    shipping: true,
    restock: true,
    notifyCustomer: true,
    offline: true,
    settlesLater: true,
  },
  setup: {
    consoleUrl: null,
    reviewNeeded: false,
    pitfalls: ['It exists on this machine only. Its orders and its money are fictional.'],
  },
  baseUrl: 'http://127.0.0.1:3002',
  authBaseUrl: 'http://127.0.0.1:3002',
  evidence: 'simulator',
  verifiedOn: '2026-11-21',
  docsUrl: 'http://127.0.0.1:3002/',
};
