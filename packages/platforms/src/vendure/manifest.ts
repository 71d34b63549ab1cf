import type { Manifest } from '@switchboard/platform-kit';
import {
  keyLogin,
  plainRefunds,
  requiredField,
  storePlatform,
} from '@switchboard/platform-kit/manifest-defaults';

export const manifest: Manifest = {
  ...storePlatform,
  id: 'vendure',
  name: 'Vendure',
  connect: [
    keyLogin({
      id: 'api_key',
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
        requiredField(
          'password',
          'api_key',
          'API key',
          'Create one in the dashboard under Settings, API Keys, with a role that may read and update orders.',
        ),
      ],
      keyForm: {
        serverField: 'store',
        send: { kind: 'header', name: 'vendure-api-key', field: 'api_key' },
      },
    }),
  ],
  permissions: { orders: ['ReadOrder'], refunds: ['UpdateOrder', 'ReadOrder'] },
  refunds: { ...plainRefunds, settlesLater: true },
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
  evidence: 'real_server',
  verifiedOn: '2026-11-22',
  docsUrl: 'https://docs.vendure.io/reference/graphql-api/admin/queries',
};
