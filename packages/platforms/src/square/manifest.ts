import type { Manifest, ConnectMethod } from '@switchboard/platform-kit';
import {
  keyLogin,
  oauthLogin,
  plainRefunds,
  requiredField,
  storePlatform,
} from '@switchboard/platform-kit/manifest-defaults';
import { SQUARE_VERSION } from './version.js';

/** The code flow, with the application's secret: its refresh token does not expire (NOTES.md). */
const oauthConnectMethod = (permissions: readonly string[]): ConnectMethod =>
  oauthLogin('Continue to Square', {
    authorizePath: '/oauth2/authorize',
    tokenPath: '/oauth2/token',
    revokePath: '/oauth2/revoke',
    permissions,
    // With a code challenge Square treats it as an app without a secret, whose refresh tokens expire after 90
    // days.
    pkce: false,
    // Forces a login even with an active session, which may be of another business.
    authorizeParams: { session: 'false' },
    tokenBody: 'json',
    tokenErrors: {
      ended: ['bad_request', 'not_found', 'ACCESS_TOKEN_REVOKED'],
      app: ['service.not_authorized'],
    },
    revocation: 'secret',
    grantAccountField: 'merchant_id',
  });

const READING = ['MERCHANT_PROFILE_READ', 'ORDERS_READ', 'PAYMENTS_READ', 'CUSTOMERS_READ'];
const ALL = [...READING, 'PAYMENTS_WRITE'];

export const manifest: Manifest = {
  ...storePlatform,
  id: 'square',
  name: 'Square',
  connect: [
    oauthConnectMethod(ALL),
    keyLogin({
      id: 'access_token',
      label: 'Connect with an access token',
      fields: [
        requiredField(
          'password',
          'access_token',
          'Access token',
          'In the Square Developer Console, open your application, choose Production, then Credentials. It begins with EAAA.',
          'EAAA…',
        ),
      ],
      keyForm: { serverField: null, send: { kind: 'bearer', field: 'access_token' } },
    }),
  ],
  permissions: { orders: READING, refunds: ALL },
  refunds: { ...plainRefunds, offline: true, settlesLater: true, idempotent: true },
  setup: {
    consoleUrl: 'https://developer.squareup.com/console/en/apps',
    reviewNeeded: false,
    pitfalls: [
      'Square keeps one grant per business and application: disconnecting the business in one workspace ends its connections in all others that use the same application.',
      'An access token from the Sandbox page of the console is refused here: sandbox accounts are at https://connect.squareupsandbox.com, which an operator sets with SWITCHBOARD_SQUARE_BASE_URL.',
      'Square accepts refunds for one year after the payment.',
      'A refund of a payment in cash, or of one that another company processed, is only recorded at Square: return the money yourself.',
      'Some debit cards (Interac) must be present for their refund. Refund such a payment on the Terminal.',
      'A refund does not restock items.',
    ],
  },
  baseUrl: 'https://connect.squareup.com',
  authBaseUrl: 'https://connect.squareup.com',
  apiVersion: SQUARE_VERSION,
  evidence: 'published_description',
  verifiedOn: '2026-11-22',
  docsUrl: 'https://developer.squareup.com/reference/square',
};
