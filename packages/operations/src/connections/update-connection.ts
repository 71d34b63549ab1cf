import { etagOf } from '@switchboard/domain';
import { updateConnection } from '@switchboard/domain/connections';
import { REASON_MAX } from '@switchboard/domain/pauses';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { id, instant, metadata } from '../shapes.js';
import { connectionShape, exampleConnection, presentConnection } from './connection-shape.js';

export default defineOperation({
  name: 'updateConnection',
  summary:
    'Update the labels of a connected account, pause it, watch its orders, or move it to another profile.',
  guidance:
    'Only the fields that are sent change; metadata is replaced as a whole. null removes label and external_id. paused: true holds its posts and refunds; false sends what is not beyond its not_after. watch_orders: true reports new and changed orders of a store as events.',
  scope: 'connections:write',
  effect: 'update',
  boundary: 'atomic',
  toolset: 'admin',
  http: { method: 'patch', path: '/connections/:id', status: 200 },
  input: z.strictObject({
    id: id(exampleConnection.id),
    profile_id: id(exampleConnection.profile_id).describe('Profile to move it to.').optional(),
    label: z.string().trim().min(1).max(100).nullable().describe('Own name.').optional(),
    external_id: z.string().min(1).max(200).nullable().describe('Your own id.').optional(),
    metadata: metadata.optional(),
    paused: z.boolean().describe('Hold its posts and refunds.').optional(),
    watch_orders: z.boolean().describe('Report changes of its orders.').optional(),
    watch_orders_since: instant.describe('With watch_orders: also orders changed since then.').optional(),
    pause_reason: z.string().trim().min(1).max(REASON_MAX).describe('For people.').optional(),
  }),
  output: connectionShape,
  failures: [
    'connection.not_found',
    'connection.exists',
    'connection.orders_unsupported',
    'profile.not_found',
    'request.precondition_failed',
  ],
  example: {
    input: { id: exampleConnection.id, label: 'Main account' },
    output: { ...exampleConnection, label: 'Main account' },
  },
  sentence: ({ id }) => `Updated the connection ${id}.`,
  etag: ({ connection }) => etagOf(connection),
  useCase: updateConnection,
  present: presentConnection,
});
