import type { ConnectField, Manifest } from '@switchboard/platform-kit';
import {
  keyLogin,
  plainRefunds,
  requiredField,
  storePlatform,
} from '@switchboard/platform-kit/manifest-defaults';

const store: ConnectField = {
  name: 'store',
  label: 'Address of the store',
  hint: 'Copy it from the browser while you look at the shop, with the path behind the slash if there is one.',
  kind: 'store_url',
  required: true,
  placeholder: 'https://shop.example',
};

export const manifest: Manifest = {
  ...storePlatform,
  id: 'woocommerce',
  name: 'WooCommerce',
  connect: [
    {
      id: 'approval',
      scheme: 'key_callback',
      label: 'Continue to the store',
      fields: [store],
      needsApp: false,
      keyCallback: {
        serverField: 'store',
        authorizePath: '/wc-auth/v1/authorize',
        scope: 'read_write',
        permissions: ['read', 'write'],
      },
    },
    keyLogin({
      id: 'api_keys',
      label: 'Connect with REST API keys',
      fields: [
        store,
        requiredField(
          'key',
          'consumer_key',
          'Consumer key',
          'Create one in WooCommerce under Settings, Advanced, REST API, with read and write permissions. It begins with ck_.',
          'ck_…',
        ),
        requiredField(
          'password',
          'consumer_secret',
          'Consumer secret',
          'It is shown once, below the key. It begins with cs_.',
          'cs_…',
        ),
      ],
      keyForm: {
        serverField: 'store',
        send: {
          kind: 'basic',
          nameField: 'consumer_key',
          passwordField: 'consumer_secret',
          signsOverHttp: true,
        },
      },
    }),
  ],
  // WooCommerce's permissions of a key; `read_write` includes both.
  permissions: { orders: ['read'], refunds: ['write', 'read'] },
  refunds: { ...plainRefunds, lines: true, shipping: true, restock: true, offline: true },
  setup: {
    consoleUrl: null,
    reviewNeeded: false,
    pitfalls: [
      'The keys act for the WordPress user that they belong to, who must be a shop manager or an administrator.',
      'The store needs pretty permalinks (Settings, Permalinks); without them there is no REST API.',
      'A payment whose gateway cannot refund (bank transfer, cash) can only be recorded as refunded: no money moves.',
      'The reason of a refund is shown to the customer, with our reference before it.',
      'The store must be able to reach this service: it sends the keys itself before it redirects back.',
      'Disconnecting does not delete the keys in the store: do that under Settings, Advanced, REST API.',
    ],
  },
  baseUrl: null,
  // The ID is the store’s URL.
  accountIds: 'global',
  authBaseUrl: null,
  // Shops have different capacities: a low rate.
  requests: { concurrent: 4 },
  apiVersion: 'wc/v3',
  evidence: 'published_description',
  verifiedOn: '2026-11-22',
  docsUrl: 'https://woocommerce.github.io/woocommerce-rest-api-docs/',
};
