import type { Manifest } from '@switchboard/domain/ports';
import { storeOnly } from '../kit/store-only.js';

export const manifest: Manifest = {
  id: 'sandbox_store',
  name: 'Sandbox Store',
  kind: 'commerce',
  sandbox: true,
  connect: [
    {
      id: 'oauth',
      scheme: 'oauth2',
      label: 'Continue to Sandbox Store',
      fields: [],
      needsApp: true,
      oauth2: {
        authorizePath: '/store/oauth/authorize',
        tokenPath: '/store/oauth/token',
        revokePath: '/store/oauth/revoke',
        permissions: ['profile', 'orders:read', 'refunds:write'],
        pkce: true,
        clientAuth: 'header',
        issuerPath: '/store',
      },
    },
  ],
  permissions: {
    orders: ['orders:read'],
    // A refund is looked up in the order's own list.
    refunds: ['refunds:write', 'orders:read'],
  },
  ...storeOnly,
  refunds: {
    lines: true,
    shipping: true,
    restock: true,
    restockByLine: false,
    locations: false,
    notifyCustomer: true,
    offline: true,
    settlesLater: true,
    idempotent: false,
  },
  setup: {
    consoleUrl: null,
    reviewNeeded: false,
    pitfalls: ['It exists on this machine only. Its orders and its money are fictional.'],
  },
  baseUrl: 'http://127.0.0.1:3002',
  authBaseUrl: 'http://127.0.0.1:3002',
  apiVersion: null,
  apiVersionEndsOn: null,
  evidence: 'simulator',
  verifiedOn: '2026-11-21',
  docsUrl: 'http://127.0.0.1:3002/',
};
