import type { Manifest } from '@switchboard/domain';
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
          hint: 'Make one in the control panel under Settings, API accounts, with Orders (modify), Order transactions (read-only) and Information & settings (read-only).',
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
          // The hash alone, BigCommerce's “API path” with or without its version, or the control panel's address.
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
      'Give the app the redirect URI as its Auth Callback URL, and the permissions as its OAuth scopes: they must be the same as here. Until it is published only its own developer can install it.',
      'An app that is installed from the control panel or the App Marketplace connects nothing: connecting begins here, so that nobody connects somebody else’s store.',
      'Connecting a store again with the same app ends the token from before. A disconnected store keeps the app until its owner takes it out in the control panel.',
      'Without “Information & settings: read-only” the store cannot be recognised, and connecting fails.',
      'With “Orders: read-only” orders are read, and every refund is refused.',
      'BigCommerce sends the money after it has accepted a refund: a gateway may still decline it, and until then the refund is pending.',
      'Payments from outside of BigCommerce (cash on delivery, bank deposit, manual ones) can only be noted as refunded. You return that money yourself.',
      'A refund puts nothing back into stock.',
    ],
  },
  baseUrl: 'https://api.bigcommerce.com',
  authBaseUrl: 'https://login.bigcommerce.com',
  // 150 in thirty seconds on the smallest plans, which all apps of a store share: a part is left to the others.
  requests: { perMinute: 200 },
  apiVersion: null,
  apiVersionEndsOn: null,
  evidence: 'simulator',
  verifiedOn: '2026-11-22',
  docsUrl: 'https://docs.bigcommerce.com/developer/api-reference/rest/admin/management/orders',
};
