import type { Manifest } from '@switchboard/platform-kit';
import { socialPlatform } from '@switchboard/platform-kit/manifest-defaults';
import { apiKey } from './connect-methods.js';

export const manifest: Manifest = {
  ...socialPlatform,
  id: 'acme',
  name: 'Acme',
  connect: [apiKey],
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
