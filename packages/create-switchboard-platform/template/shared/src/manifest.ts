import type { Manifest } from '@switchboard/platform-kit';
import { keyLogin, requiredField, socialPlatform } from '@switchboard/platform-kit/manifest-defaults';

export const manifest: Manifest = {
  ...socialPlatform,
  id: 'acme',
  name: 'Acme',
  connect: [
    keyLogin({
      id: 'api_key',
      label: 'Connect with an API key',
      fields: [requiredField('password', 'api_key', 'API key', 'Create one in your settings.')],
      keyForm: { serverField: null, send: { kind: 'bearer', field: 'api_key' } },
    }),
  ],
  permissions: { publishing: [] },
  text: { max: 500, unit: 'code points', required: true },
  media: null,
  setup: { consoleUrl: null, reviewNeeded: false, pitfalls: [] },
  baseUrl: 'https://api.example.com',
  authBaseUrl: null,
  evidence: 'simulator',
  verifiedOn: '2026-11-26',
  docsUrl: 'https://api.example.com',
};
