import type { Manifest } from '@switchboard/domain/ports';
import { storeOnly } from '../kit/store-only.js';

export const manifest: Manifest = {
  id: 'vendure',
  name: 'Vendure',
  kind: 'commerce',
  sandbox: false,
  connect: [
    {
      id: 'api_key',
      scheme: 'key_form',
      label: 'Connect with an API key',
      fields: [
        {
          name: 'store',
          label: 'Address of the Vendure server',
          hint: 'Without /admin-api at its end. It may be another address than the shop’s.',
          kind: 'url',
          required: true,
          placeholder: 'https://api.shop.example',
        },
        {
          name: 'api_key',
          label: 'API key',
          hint: 'Create one in the dashboard under Settings, API Keys, with a role that may read and update orders.',
          kind: 'password',
          required: true,
          placeholder: '',
        },
      ],
      needsApp: false,
      keyForm: {
        serverField: 'store',
        send: { kind: 'header', name: 'vendure-api-key', field: 'api_key' },
      },
    },
  ],
  permissions: { orders: ['ReadOrder'], refunds: ['UpdateOrder', 'ReadOrder'] },
  ...storeOnly,
  refunds: {
    lines: false,
    shipping: false,
    restock: false,
    restockByLine: false,
    locations: false,
    notifyCustomer: false,
    offline: false,
    settlesLater: true,
    idempotent: false,
  },
  setup: {
    consoleUrl: null,
    reviewNeeded: false,
    pitfalls: [
      'The server accepts API keys only if its tokenMethod includes them: `authOptions: { tokenMethod: ["bearer", "api-key"] }`.',
      'A payment handler may leave a refund pending until a user settles it manually in the dashboard.',
    ],
  },
  baseUrl: null,
  authBaseUrl: null,
  apiVersion: null,
  apiVersionEndsOn: null,
  evidence: 'real_server',
  verifiedOn: '2026-11-22',
  docsUrl: 'https://docs.vendure.io/reference/graphql-api/admin/queries',
};
