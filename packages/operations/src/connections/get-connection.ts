import { etagOf } from '@switchboard/domain';
import { describeAccount, getConnection } from '@switchboard/domain/connections';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { id } from '../shapes.js';
import { connectionShape, exampleConnection, presentConnection } from './connection-shape.js';

export default defineOperation({
  name: 'getConnection',
  summary: 'Read one connected account.',
  guidance: 'refresh: true checks with the platform whether the account still works and updates its name.',
  scope: 'connections:read',
  effect: 'read',
  boundary: 'staged',
  toolset: 'connections',
  http: { method: 'get', path: '/connections/:id', status: 200 },
  input: z.strictObject({
    id: id(exampleConnection.id),
    refresh: z.boolean().describe('Check the login at the platform now.').optional(),
  }),
  output: connectionShape,
  failures: ['connection.not_found'],
  example: { input: { id: exampleConnection.id }, output: exampleConnection },
  sentence: ({ account, platform, status, id }, { platformName }) => {
    const name = describeAccount(account, platformName(platform));
    return status === 'needs_reauth'
      ? `${name} must be reconnected by the account owner: call connect_account with its connection_id. (${id})`
      : `${name} is ${status}. (${id})`;
  },
  etag: ({ connection }) => etagOf(connection),
  useCase: getConnection,
  present: presentConnection,
});
