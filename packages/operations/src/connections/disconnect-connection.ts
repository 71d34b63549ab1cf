import { disconnect } from '@switchboard/domain/connections';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { id, noContent } from '../shapes.js';
import { exampleConnection } from './connection-shape.js';

export default defineOperation({
  name: 'disconnectConnection',
  summary: 'Disconnect an account: deletes its credential and cancels its unsent posts.',
  guidance:
    'Cannot be undone; the owner would have to reconnect the account. The grant is revoked at the platform.',
  scope: 'connections:write',
  effect: 'delete',
  boundary: 'atomic',
  toolset: 'admin',
  http: { method: 'delete', path: '/connections/:id', status: 204 },
  input: z.strictObject({ id: id(exampleConnection.id) }),
  output: noContent,
  failures: ['connection.not_found', 'request.precondition_failed'],
  example: { input: { id: exampleConnection.id }, output: {} },
  sentence: () => 'Disconnected the account.',
  object: ({ id }) => id,
  useCase: disconnect,
  present: () => ({}),
});
