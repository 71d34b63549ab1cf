import type { ConnectMethod } from '@switchboard/domain';

const HASH = '[a-z0-9]{1,30}';

/** The owner's consent for one store, which is named beforehand and named again at every step (NOTES.md). */
export const oauthConnectMethod: ConnectMethod = {
  id: 'oauth',
  scheme: 'oauth2',
  label: 'Continue to BigCommerce',
  fields: [
    {
      name: 'store',
      label: 'Address of your control panel',
      hint: 'While you are in the control panel it stands in the browser and begins with store-.',
      kind: 'shop',
      required: true,
      placeholder: 'store-abc123.mybigcommerce.com',
    },
  ],
  needsApp: true,
  oauth2: {
    authorizePath: '/oauth2/authorize',
    tokenPath: '/oauth2/token',
    // A token is permanent. Only the merchant can end it, by taking the app out of the store.
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
