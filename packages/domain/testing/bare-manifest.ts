import type { Manifest } from '../src/ports/index.js';

/** A platform with no more than an account; a test adds what it has. */
export const bareManifest: Omit<Manifest, 'id' | 'name' | 'kind'> = {
  sandbox: true,
  connect: [{ id: 'oauth', scheme: 'oauth2', label: 'Connect', fields: [], needsApp: false }],
  permissions: {},
  text: null,
  media: null,
  title: null,
  thread: false,
  firstComment: null,
  linkCards: false,
  options: [],
  metrics: [],
  postList: null,
  refunds: null,
  setup: { consoleUrl: null, reviewNeeded: false, pitfalls: [] },
  baseUrl: null,
  authBaseUrl: null,
  apiVersion: null,
  apiVersionEndsOn: null,
  evidence: 'simulator',
  verifiedOn: '2026-03-01',
  docsUrl: 'https://platform.example/docs',
};
