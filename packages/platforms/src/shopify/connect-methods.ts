import type { ConnectField, ConnectMethod, NamedAccount } from '@switchboard/domain/ports';

const NAME = '[a-z0-9][a-z0-9-]{0,59}';

/** A shop by its name, its domain or the URL of its admin. */
const shopAccount: NamedAccount = {
  field: 'shop',
  patterns: [
    new RegExp(`^(${NAME})$`),
    new RegExp(`^(?:https://)?(${NAME})\\.myshopify\\.com(?:/.*)?$`),
    new RegExp(`^(?:https://)?admin\\.shopify\\.com/store/(${NAME})(?:[/?#].*)?$`),
  ],
  location: { kind: 'origin', origin: 'https://{name}.myshopify.com' },
};

export const shopField: ConnectField = {
  name: 'shop',
  label: 'Your shop’s Shopify address',
  hint: 'It ends in .myshopify.com. Shopify’s admin shows it under Settings, Domains.',
  kind: 'shop',
  required: true,
  placeholder: 'your-shop.myshopify.com',
};

const TOKEN_PATH = '/admin/oauth/access_token';
const TOKEN_HEADER = 'X-Shopify-Access-Token';
/** The scope that permits writing includes reading and is listed alone. */
const includedPermissions = { write_orders: ['read_orders'] };

/** The owner's consent at the shop itself, for a token of one hour that is refreshed. */
export const oauthConnectMethod: ConnectMethod = {
  id: 'oauth',
  scheme: 'oauth2',
  label: 'Continue to Shopify',
  fields: [shopField],
  needsApp: true,
  oauth2: {
    authorizePath: '/admin/oauth/authorize',
    tokenPath: TOKEN_PATH,
    revokePath: '/admin/api_permissions/current.json',
    permissions: ['read_orders', 'write_orders', 'read_customers', 'read_locations'],
    permissionSeparator: ',',
    includedPermissions,
    pkce: false,
    clientAuth: 'body',
    issuerPath: null,
    account: {
      ...shopAccount,
      parameter: 'shop',
      value: '{name}.myshopify.com',
      isSentWithTokenRequest: false,
    },
    signedCallback: { parameter: 'hmac', timestamp: 'timestamp' },
    exchangeParams: { expiring: '1' },
    tokenErrors: { ended: ['invalid_request'], app: ['application_cannot_be_found'] },
    tokenHeader: TOKEN_HEADER,
    revocation: 'token',
  },
};

/** An app created and installed by the shop's own organization: it uses the client credentials grant. */
export const ownAppConnectMethod: ConnectMethod = {
  id: 'own_app',
  scheme: 'client_credentials',
  label: 'Connect with an app of your own organization',
  fields: [
    shopField,
    {
      name: 'client_id',
      label: 'Client ID of the app',
      hint: 'In Shopify’s Dev Dashboard, open the app and choose Settings. It must be installed in this shop and needs the scopes read_orders and write_orders.',
      kind: 'key',
      required: true,
      placeholder: '',
    },
    {
      name: 'client_secret',
      label: 'Client secret of the app',
      hint: 'It is shown below the client ID.',
      kind: 'password',
      required: true,
      placeholder: 'shpss_…',
    },
  ],
  needsApp: false,
  clientCredentials: {
    tokenPath: TOKEN_PATH,
    account: shopAccount,
    idField: 'client_id',
    secretField: 'client_secret',
    clientAuth: 'body',
    includedPermissions,
    tokenErrors: { ended: ['shop_not_permitted'], app: ['application_cannot_be_found'] },
    tokenHeader: TOKEN_HEADER,
  },
};
