import { startConnect } from '@switchboard/domain/connections';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { unreachableLinkNotice } from '../unreachable-link-notice.js';
import { components, id, isoTime, metadata, platformId, platformIds, time } from '../shapes.js';

export default defineOperation({
  name: 'startConnect',
  tool: 'connect_account',
  summary: 'Create a link on which the account owner connects an account.',
  guidance:
    'Give the url to the owner, who approves on a hosted page, never through you. Then wait with get_connect_session. Without platform the owner chooses one and may connect several accounts.',
  scope: 'connections:write',
  effect: 'create',
  boundary: 'atomic',
  toolset: 'connections',
  http: { method: 'post', path: '/connect/url', status: 201 },
  input: z.strictObject({
    platform: platformId.optional(),
    platforms: platformIds.describe('The owner chooses from these.').optional(),
    profile_id: id('prf_01kah3v5w8e2m6r9t0x4y7z1ab').describe('Profile of the new connections.').optional(),
    connection_id: id('con_01kah3v5w8e2m6r9t0x4y7z1ab').describe('Connection to reconnect.').optional(),
    return_url: z
      .string()
      .min(1)
      .max(2048)
      .describe('Where the browser returns; must be allowed.')
      .optional(),
    expires_in_minutes: z.int().min(1).max(10_080).default(30).describe('Validity of the link.'),
    max_connections: z
      .int()
      .min(1)
      .max(50)
      .optional()
      .describe('Accounts per link; default with platform: those of one login.'),
    locale: z
      .string()
      .max(35)
      .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'a language tag such as de or pt-BR')
      .optional()
      .describe('en, de, es or fr; default: the browser’s.'),
    external_id: z.string().min(1).max(200).describe('Your own id.').optional(),
    metadata: metadata.optional(),
  }),
  output: z
    .object({ id: z.string(), url: z.string(), expires_at: time, served: z.boolean() })
    .register(components, { id: 'ConnectLink' }),
  failures: [
    'profile.not_found',
    'connection.not_found',
    'platform.not_found',
    'platform.not_configured',
    'connect.profile_required',
    'connect.return_url_not_allowed',
  ],
  example: {
    input: { platform: 'bluesky', return_url: 'https://app.example.com/connected' },
    output: {
      id: 'cns_01kah3v5w8e2m6r9t0x4y7z1ab',
      url: 'https://switchboard.example.com/connect/4Jx0…',
      expires_at: '2026-11-21T09:30:00.000Z',
      served: true,
    },
  },
  sentence: ({ id, url, expires_at, served }) =>
    `${unreachableLinkNotice(served)}The account owner has to open ${url} in a browser before ${expires_at}; then poll get_connect_session for ${id}.`,
  object: ({ session }) => session.id,
  useCase: startConnect,
  present: ({ session, url }, { ports: { settings } }) => ({
    id: session.id,
    url,
    expires_at: isoTime(session.expiresAt),
    served: settings.hostedPages,
  }),
});
