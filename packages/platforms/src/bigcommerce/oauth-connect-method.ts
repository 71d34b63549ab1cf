import type { ConnectMethod } from '@switchboard/domain/ports';

const HASH = '[a-z0-9]{1,30}';

/**
 * The owner's consent for one store, which is named before authorization and again at every step (NOTES.md).
 */
export const oauthConnectMethod: ConnectMethod = {
  id: 'oauth',
  scheme: 'oauth2',
  label: 'Continue to BigCommerce',
  fields: [
    {
      name: 'store',
      label: 'Address of your control panel',
      hint: 'The browser shows it while you are in the control panel. It begins with store-.',
      kind: 'shop',
      required: true,
      placeholder: 'store-abc123.mybigcommerce.com',
    },
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
