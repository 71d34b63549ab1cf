import type { Manifest } from '@switchboard/domain/ports';
import { storeOnly } from '../kit/store-only.js';
import { oauthConnectMethod, ownAppConnectMethod, shopField } from './connect-methods.js';

export const manifest: Manifest = {
  id: 'shopify',
  name: 'Shopify',
  kind: 'commerce',
  sandbox: false,
  connect: [
    oauthConnectMethod,
    ownAppConnectMethod,
    {
      id: 'access_token',
      scheme: 'key_form',
      label: 'Connect with an Admin API access token',
      fields: [
        shopField,
        {
          name: 'access_token',
          label: 'Admin API access token',
          hint: 'For a custom app created in the admin, as was possible until 2026, that may read and write orders. Shopify shows the token once, when the app is installed.',
          kind: 'password',
          required: true,
          placeholder: 'shpat_…',
        },
      ],
      needsApp: false,
      keyForm: {
        serverField: 'shop',
        send: { kind: 'header', name: 'X-Shopify-Access-Token', field: 'access_token' },
      },
    },
  ],
  permissions: { orders: ['read_orders'], refunds: ['write_orders'] },
  ...storeOnly,
  refunds: {
    lines: true,
    shipping: true,
    restock: true,
    restockByLine: true,
    locations: true,
    notifyCustomer: true,
    offline: true,
    settlesLater: true,
    idempotent: true,
  },
  setup: {
    consoleUrl: 'https://dev.shopify.com/dashboard',
    reviewNeeded: true,
    pitfalls: [
      'The app’s configuration must list the redirect URI and the permissions; it must not be embedded in the admin, nor use Shopify’s managed installation.',
      'Shopify issues one token per shop and app: connecting the shop in another profile or workspace with the same app ends the previous connection, and disconnecting removes the app from the shop.',
      'Only apps created by the shop’s own organization may use client credentials (client ID and secret typed by the shop’s owner).',
      'Orders older than sixty days are silently left out unless the app was granted read_all_orders.',
      'Names, addresses and email addresses are empty until Shopify has approved the app for protected customer data. Customers also require read_customers.',
      'Restocking at the location that Shopify proposes needs read_locations.',
      'A payment provider may process a refund asynchronously: it is pending until its transactions have settled.',
    ],
  },
  baseUrl: null,
  // Shopify's IDs are unique over all of its shops.
  accountIds: 'global',
  authBaseUrl: null,
  apiVersion: '2026-10',
  apiVersionEndsOn: '2027-10-01',
  evidence: 'published_description',
  verifiedOn: '2026-11-22',
  docsUrl: 'https://shopify.dev/docs/api/admin-graphql',
};
