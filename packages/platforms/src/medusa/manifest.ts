import type { Manifest } from '@switchboard/domain/ports';
import { storeOnly } from '../kit/store-only.js';

export const manifest: Manifest = {
  id: 'medusa',
  name: 'Medusa',
  kind: 'commerce',
  sandbox: false,
  connect: [
    {
      id: 'secret_key',
      scheme: 'key_form',
      label: 'Connect with a secret API key',
      fields: [
        {
          name: 'store',
          label: 'Address of the Medusa server',
          hint: 'Where its admin API is located, which may be another address than the shop’s.',
          kind: 'url',
          required: true,
          placeholder: 'https://api.shop.example',
        },
        {
          name: 'secret_key',
          label: 'Secret API key',
          hint: 'Create one in the admin under Settings, Secret API Keys. It begins with sk_.',
          kind: 'password',
          required: true,
          placeholder: 'sk_…',
        },
      ],
      needsApp: false,
      keyForm: {
        serverField: 'store',
        send: { kind: 'basic', nameField: 'secret_key', passwordField: null },
      },
    },
  ],
  // A secret key has all permissions of its creator: it names none.
  permissions: { orders: [], refunds: [] },
  ...storeOnly,
  refunds: {
    lines: false,
    shipping: false,
    restock: false,
    restockByLine: false,
    locations: false,
    notifyCustomer: false,
    offline: true,
    settlesLater: false,
    idempotent: false,
  },
  setup: {
    consoleUrl: null,
    reviewNeeded: false,
    pitfalls: [
      'A payment of the built-in provider (pp_system_default) was made outside of Medusa: its refund is only recorded there and moves no money.',
      'Revoking the key in the admin ends the connection.',
    ],
  },
  baseUrl: null,
  authBaseUrl: null,
  apiVersion: null,
  apiVersionEndsOn: null,
  evidence: 'real_server',
  verifiedOn: '2026-11-21',
  docsUrl: 'https://docs.medusajs.com/api/admin',
};
