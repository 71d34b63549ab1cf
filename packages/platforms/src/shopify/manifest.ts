import type { Manifest, ConnectMethod, NamedAccount } from '@switchboard/platform-kit';
import {
  keyLogin,
  oauthLogin,
  plainRefunds,
  requiredField,
  storePlatform,
} from '@switchboard/platform-kit/manifest-defaults';

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

const shopField = requiredField(
  'shop',
  'shop',
  'Your shop’s Shopify address',
  'It ends in .myshopify.com. Shopify’s admin shows it under Settings, Domains.',
  'your-shop.myshopify.com',
);

const TOKEN_PATH = '/admin/oauth/access_token';
const TOKEN_HEADER = 'X-Shopify-Access-Token';
/** The scope that permits writing includes reading and is listed alone. */
const includedPermissions = { write_orders: ['read_orders'] };

/** The owner's consent at the shop itself, for a token of one hour that is refreshed. */
const oauthConnectMethod: ConnectMethod = {
  ...oauthLogin('Continue to Shopify', {
    authorizePath: '/admin/oauth/authorize',
    tokenPath: TOKEN_PATH,
    revokePath: '/admin/api_permissions/current.json',
    permissions: ['read_orders', 'write_orders', 'read_customers', 'read_locations'],
    permissionSeparator: ',',
    includedPermissions,
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
  }),
  fields: [shopField],
};

/** An app created and installed by the shop's own organization: it uses the client credentials grant. */
const ownAppConnectMethod: ConnectMethod = {
  id: 'own_app',
  scheme: 'client_credentials',
  label: 'Connect with an app of your own organization',
  fields: [
    shopField,
    requiredField(
      'key',
      'client_id',
      'Client ID of the app',
      'In Shopify’s Dev Dashboard, open the app and choose Settings. It must be installed in this shop and needs the scopes read_orders and write_orders.',
    ),
    requiredField(
      'password',
      'client_secret',
      'Client secret of the app',
      'It is shown below the client ID.',
      'shpss_…',
    ),
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

export const manifest: Manifest = {
  ...storePlatform,
  id: 'shopify',
  name: 'Shopify',
  connect: [
    oauthConnectMethod,
    ownAppConnectMethod,
    keyLogin({
      id: 'access_token',
      label: 'Connect with an Admin API access token',
      fields: [
        shopField,
        requiredField(
          'password',
          'access_token',
          'Admin API access token',
          'For a custom app created in the admin, as was possible until 2026, that may read and write orders. Shopify shows the token once, when the app is installed.',
          'shpat_…',
        ),
      ],
      keyForm: {
        serverField: 'shop',
        send: { kind: 'header', name: 'X-Shopify-Access-Token', field: 'access_token' },
      },
    }),
  ],
  permissions: { orders: ['read_orders'], refunds: ['write_orders'] },
  refunds: {
    ...plainRefunds,
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
