import type { AuthorizedClient, CreatedInvitation } from '@switchboard/domain/clients';
import { z } from 'zod';
import { components, id, isoTime, isoTimeOrNull, time } from '../shapes.js';

export const clientId = id('cli_01kah3v5w8e2m6r9t0x4y7z1ab');

export const clientShape = z
  .object({
    id: z.string(),
    name: z.string().describe('As the client calls itself; not verified.'),
    host: z.string().describe('The host that identifies the client.'),
    oauth_client_id: z.string(),
    scopes: z.array(z.string()),
    created_at: time,
    last_used_at: time.nullable(),
    revoked_at: time.nullable(),
    end_reason: z.enum(['revoked', 'key_revoked', 'signed_out', 'token_reused']).nullable(),
  })
  .register(components, { id: 'Client' });

export const presentClient = (client: AuthorizedClient): z.input<typeof clientShape> => ({
  id: client.id,
  name: client.name,
  host: client.host,
  oauth_client_id: client.oauthClientId,
  scopes: [...client.scopes],
  created_at: isoTime(client.createdAt),
  last_used_at: isoTimeOrNull(client.lastUsedAt),
  revoked_at: isoTimeOrNull(client.revokedAt),
  end_reason: client.endReason,
});

export const invitationShape = z
  .object({
    id: z.string(),
    key_id: z.string(),
    code: z.string().nullable(),
    secret_available: z.boolean(),
    mcp_url: z.string().describe('The address to enter in the client.'),
    max_clients: z.int(),
    created_at: time,
    expires_at: time,
  })
  .register(components, { id: 'Invitation' });

export const presentInvitation = (
  { invitation, key, code }: CreatedInvitation,
  mcpUrl: string,
): z.input<typeof invitationShape> => ({
  id: invitation.id,
  key_id: key.id,
  code: code.reveal(),
  secret_available: true,
  mcp_url: mcpUrl,
  max_clients: invitation.maxClients,
  created_at: isoTime(invitation.createdAt),
  expires_at: isoTime(invitation.expiresAt),
});

export const exampleClient: z.input<typeof clientShape> = {
  id: 'cli_01kah3v5w8e2m6r9t0x4y7z1ab',
  name: 'Claude',
  host: 'claude.ai',
  oauth_client_id: 'https://claude.ai/oauth/mcp-oauth-client-metadata',
  scopes: ['posts:read', 'analytics:read'],
  created_at: '2026-11-21T09:00:00.000Z',
  last_used_at: '2026-11-21T09:05:00.000Z',
  revoked_at: null,
  end_reason: null,
};
