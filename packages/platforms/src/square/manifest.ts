import type { Manifest } from '@switchboard/domain/ports';
import { storeOnly } from '../kit/store-only.js';
import { oauthConnectMethod } from './oauth-connect-method.js';
import { SQUARE_VERSION } from './version.js';

const READING = ['MERCHANT_PROFILE_READ', 'ORDERS_READ', 'PAYMENTS_READ', 'CUSTOMERS_READ'];
const ALL = [...READING, 'PAYMENTS_WRITE'];

export const manifest: Manifest = {
  id: 'square',
  name: 'Square',
  kind: 'commerce',
  sandbox: false,
  connect: [
    oauthConnectMethod(ALL),
    {
      id: 'access_token',
      scheme: 'key_form',
      label: 'Connect with an access token',
      fields: [
        {
          name: 'access_token',
          label: 'Access token',
          hint: 'In the Square Developer Console, open your application, choose Production, then Credentials. It begins with EAAA.',
          kind: 'password',
          required: true,
          placeholder: 'EAAA…',
        },
      ],
      needsApp: false,
      keyForm: { serverField: null, send: { kind: 'bearer', field: 'access_token' } },
    },
  ],
  permissions: { orders: READING, refunds: ALL },
  ...storeOnly,
  refunds: {
    lines: false,
    shipping: false,
    restock: false,
    restockByLine: false,
    locations: false,
    notifyCustomer: false,
    offline: true,
    settlesLater: true,
    idempotent: true,
  },
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
  apiVersionEndsOn: null,
  evidence: 'published_description',
  verifiedOn: '2026-11-22',
  docsUrl: 'https://developer.squareup.com/reference/square',
};
