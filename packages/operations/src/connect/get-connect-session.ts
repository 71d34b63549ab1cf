import { getConnectSession } from '@switchboard/domain/connections';
import { z } from 'zod';
import { formatCount } from '../format-count.js';
import { defineOperation } from '../define.js';
import { components, id, isoTime, time } from '../shapes.js';

const statuses = ['pending', 'connected', 'failed', 'cancelled', 'expired'] as const;

export default defineOperation({
  name: 'getConnectSession',
  summary: 'Read the status of a connect session.',
  guidance:
    'The status is pending until the owner approves or denies, or the session expires. With a wait, returns when the session has ended. If one link may connect several accounts, connection_ids grows while it is pending.',
  scope: 'connections:read',
  effect: 'read',
  boundary: 'read',
  toolset: 'connections',
  http: { method: 'get', path: '/connect/sessions/:id', status: 200 },
  input: z.strictObject({ id: id('cns_01kah3v5w8e2m6r9t0x4y7z1ab') }),
  output: z
    .object({
      id: z.string(),
      status: z.enum(statuses),
      connection_ids: z.array(z.string()),
      error: z.object({ code: z.string(), message: z.string() }).nullable(),
      expires_at: time,
    })
    .register(components, { id: 'ConnectSession' }),
  failures: ['connect_session.not_found'],
  example: {
    input: { id: 'cns_01kah3v5w8e2m6r9t0x4y7z1ab' },
    output: {
      id: 'cns_01kah3v5w8e2m6r9t0x4y7z1ab',
      status: 'connected',
      connection_ids: ['con_01kah3v5w8e2m6r9t0x4y7z1ab'],
      error: null,
      expires_at: '2026-11-21T09:30:00.000Z',
    },
  },
  sentence: ({ status, connection_ids }) =>
    status === 'connected'
      ? `Connected: ${connection_ids.join(', ')}.`
      : `The connect session is ${status}${connection_ids.length > 0 ? `, with ${formatCount(connection_ids.length, 'account')} connected so far` : ''}.`,
  settling: {
    isSettled: ({ status }) => status !== 'pending',
    readAgain: getConnectSession,
    progress: ({ connectionIds: { length } }) => ({
      done: length,
      total: null,
      message: length === 0 ? 'Waiting for the account owner to approve.' : `${length} connected so far.`,
    }),
    mcpWaitSeconds: 0,
  },
  useCase: getConnectSession,
  present: ({ id, status, connectionIds, error, expiresAt }) => ({
    id,
    status,
    connection_ids: [...connectionIds],
    error,
    expires_at: isoTime(expiresAt),
  }),
});
