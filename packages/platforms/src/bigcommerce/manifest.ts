import type { Manifest, ConnectMethod } from '@switchboard/platform-kit';
import {
  keyLogin,
  plainRefunds,
  requiredField,
  storePlatform,
} from '@switchboard/platform-kit/manifest-defaults';

const HASH = '[a-z0-9]{1,30}';

/**
 * The owner's consent for one store, which is named before authorization and again at every step (NOTES.md).
 */
const oauthConnectMethod: ConnectMethod = {
  id: 'oauth',
  scheme: 'oauth2',
  label: 'Continue to BigCommerce',
  fields: [
    requiredField(
      'shop',
      'store',
      'Address of your control panel',
      'The browser shows it while you are in the control panel. It begins with store-.',
      'store-abc123.mybigcommerce.com',
    ),
  ],
  needsApp: true,
  oauth2: {
    authorizePath: '/oauth2/authorize',
    tokenPath: '/oauth2/token',
    // A token is permanent. Only the merchant can revoke it, by removing the app from the store.
    revokePath: null,
    permissions: ['store_v2_orders', 'store_v2_transactions_read_only', 'store_v2_information_read_only'],
    pkce: false,
    clientAuth: 'body',
    issuerPath: null,
    account: {
      field: 'store',
      patterns: [
        new RegExp(`^(?:store-)?(${HASH})$`),
        new RegExp(`^(?:https://)?store-(${HASH})\\.mybigcommerce\\.com(?:/.*)?$`),
        new RegExp(`^(?:https://)?api\\.bigcommerce\\.com/stores/(${HASH})(?:/.*)?$`),
      ],
      location: { kind: 'path', path: '/stores/{name}' },
      parameter: 'context',
      value: 'stores/{name}',
      isSentWithTokenRequest: true,
    },
    forwardedCallbackParams: ['scope'],
    tokenBody: 'json',
    tokenHeader: 'X-Auth-Token',
  },
};

export const manifest: Manifest = {
  ...storePlatform,
  id: 'bigcommerce',
  name: 'BigCommerce',
  connect: [
    oauthConnectMethod,
    keyLogin({
      id: 'api_account',
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
        requiredField(
          'password',
          'access_token',
          'Access token',
          'Create one in the control panel under Settings, API accounts, with Orders (modify), Order transactions (read-only) and Information & settings (read-only).',
        ),
      ],
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
    }),
  ],
  permissions: {
    orders: ['store_v2_orders', 'store_v2_transactions_read_only'],
    refunds: ['store_v2_orders', 'store_v2_transactions_read_only'],
  },
  refunds: { ...plainRefunds, lines: true, shipping: true, offline: true, settlesLater: true },
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
  evidence: 'simulator',
  verifiedOn: '2026-11-22',
  docsUrl: 'https://docs.bigcommerce.com/developer/api-reference/rest/admin/management/orders',
};
