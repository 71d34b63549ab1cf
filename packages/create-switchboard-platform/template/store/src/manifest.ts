import type { Manifest } from '@switchboard/platform-kit';
import { plainRefunds, storePlatform } from '@switchboard/platform-kit/manifest-defaults';
import { apiKey } from './connect-methods.js';

export const manifest: Manifest = {
  ...storePlatform,
  id: 'acme',
  name: 'Acme',
  connect: [apiKey],
  permissions: { orders: [], refunds: [] },
  refunds: plainRefunds,
  setup: { consoleUrl: null, reviewNeeded: false, pitfalls: [] },
  baseUrl: 'https://api.example.com',
  authBaseUrl: null,
  evidence: 'simulator',
  verifiedOn: '2026-11-26',
  docsUrl: 'https://api.example.com',
};
