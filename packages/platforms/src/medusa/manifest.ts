import type { Manifest } from '@switchboard/platform-kit';
import {
  keyLogin,
  plainRefunds,
  requiredField,
  storePlatform,
} from '@switchboard/platform-kit/manifest-defaults';

export const manifest: Manifest = {
  ...storePlatform,
  id: 'medusa',
  name: 'Medusa',
  connect: [
    keyLogin({
      id: 'secret_key',
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
        requiredField(
          'password',
          'secret_key',
          'Secret API key',
          'Create one in the admin under Settings, Secret API Keys. It begins with sk_.',
          'sk_…',
        ),
      ],
      keyForm: {
        serverField: 'store',
        send: { kind: 'basic', nameField: 'secret_key', passwordField: null },
      },
    }),
  ],
  // A secret key has all permissions of its creator: it names none.
  permissions: { orders: [], refunds: [] },
  refunds: { ...plainRefunds, offline: true },
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
  evidence: 'real_server',
  verifiedOn: '2026-11-21',
  docsUrl: 'https://docs.medusajs.com/api/admin',
};
