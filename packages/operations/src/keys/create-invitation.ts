import { createInvitation } from '@switchboard/domain/clients';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { invitationShape, presentInvitation } from './client-shape.js';
import { keyFields } from './key-shape.js';

export default defineOperation({
  name: 'createInvitation',
  summary: 'Invite a person to connect an OAuth client to an API key.',
  guidance:
    'Returns a one-time code, once: the person enters it on the page that the client opens, and chooses the scopes there. The client never sees the key. The key must be within the scopes and policy of the calling key, which becomes its ancestor.',
  scope: 'keys:admin',
  effect: 'create',
  boundary: 'atomic',
  http: { method: 'post', path: '/keys/:id/invitations', status: 201 },
  input: z.strictObject({
    id: keyFields.id,
    expires_in_minutes: z.int().min(5).max(10_080).default(60),
    max_clients: z.int().min(1).max(100).default(1),
  }),
  output: invitationShape,
  oneTimeFields: ['code'],
  failures: [
    'key.not_found',
    'key.ended',
    'key.nothing_to_grant',
    'key.scope_exceeded',
    'key.policy_exceeded',
    'key.delegation_too_deep',
  ],
  example: {
    input: { id: 'key_01kah3v5w8e2m6r9t0x4y7z1ab', expires_in_minutes: 60 },
    output: {
      id: 'inv_01kah3v5w8e2m6r9t0x4y7z1ab',
      key_id: 'key_01kah3v5w8e2m6r9t0x4y7z1ab',
      code: 'K7QF-2M9X-04TB-HN6V',
      secret_available: true,
      mcp_url: 'https://mcp.example.com/mcp',
      max_clients: 1,
      created_at: '2026-11-21T09:00:00.000Z',
      expires_at: '2026-11-21T10:00:00.000Z',
    },
  },
  sentence: ({ id }) => `Created the invitation ${id}.`,
  useCase: createInvitation,
  present: (created, { ports }) => presentInvitation(created, ports.settings.mcpUrl),
});
