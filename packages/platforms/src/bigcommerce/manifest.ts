import type { Manifest } from '@switchboard/domain/ports';
import { storeOnly } from '../kit/store-only.js';
import { oauthConnectMethod } from './oauth-connect-method.js';

export const manifest: Manifest = {
  id: 'bigcommerce',
  name: 'BigCommerce',
  kind: 'commerce',
  sandbox: false,
  connect: [
    oauthConnectMethod,
    {
      id: 'api_account',
      scheme: 'key_form',
      label: 'Connect with a store-level API account',
      fields: [
        {
          name: 'api_path',
          label: 'API path or store hash',
          hint: 'BigCommerce shows it once, with the access token. The store hash is the part after /stores/.',
          kind: 'key',
          required: true,
          placeholder: 'https://api.bigcommerce.com/stores/abc123/v3/',
        },
        {
          name: 'access_token',
          label: 'Access token',
          hint: 'Create one in the control panel under Settings, API accounts, with Orders (modify), Order transactions (read-only) and Information & settings (read-only).',
          kind: 'password',
          required: true,
          placeholder: '',
        },
      ],
      needsApp: false,
      keyForm: {
        serverField: null,
        account: {
          field: 'api_path',
          // The hash alone, BigCommerce's “API path” with or without its version, or the URL of the control
          // panel.
          patterns: [
            /^([a-z0-9]{3,32})$/,
            /^(?:https:\/\/)?api\.bigcommerce\.com\/stores\/([a-z0-9]{3,32})(?:\/.*)?$/,
            /^(?:https:\/\/)?store-([a-z0-9]{3,32})\.mybigcommerce\.com(?:\/.*)?$/,
          ],
          location: { kind: 'path', path: '/stores/{name}' },
        },
        send: { kind: 'header', name: 'X-Auth-Token', field: 'access_token' },
      },
    },
  ],
  permissions: {
    orders: ['store_v2_orders', 'store_v2_transactions_read_only'],
    refunds: ['store_v2_orders', 'store_v2_transactions_read_only'],
  },
  ...storeOnly,
  refunds: {
    lines: true,
    shipping: true,
    restock: false,
    restockByLine: false,
    locations: false,
    notifyCustomer: false,
    offline: true,
    settlesLater: true,
    idempotent: false,
  },
  setup: {
    consoleUrl: 'https://devtools.bigcommerce.com/my/apps',
    reviewNeeded: false,
    pitfalls: [
      'Set the redirect URI as the app’s Auth Callback URL, and the permissions as its OAuth scopes: they must be the same as here. Until the app is published only its own developer can install it.',
      'Installing the app from the control panel or the App Marketplace does not connect the store. Start the connection here, so that no user connects a store that is not theirs.',
      'Connecting a store again with the same app invalidates the previous token. A disconnected store keeps the app until its owner removes it in the control panel.',
      'Without “Information & settings: read-only” the store cannot be identified, and connecting fails.',
      'With “Orders: read-only” orders can be read, but every refund is refused.',
      'BigCommerce sends the money after it has accepted a refund: a gateway may still decline it, and until then the refund is pending.',
      'Payments from outside of BigCommerce (cash on delivery, bank deposit, manual ones) can only be recorded as refunded. Return that money yourself.',
      'A refund does not restock items.',
    ],
  },
  baseUrl: 'https://api.bigcommerce.com',
  authBaseUrl: 'https://login.bigcommerce.com',
  // 150 in thirty seconds on the smallest plans, shared by all apps of a store: a part is left to the other
  // apps.
  requests: { perMinute: 200 },
  apiVersion: null,
  apiVersionEndsOn: null,
  evidence: 'simulator',
  verifiedOn: '2026-11-22',
  docsUrl: 'https://docs.bigcommerce.com/developer/api-reference/rest/admin/management/orders',
};
