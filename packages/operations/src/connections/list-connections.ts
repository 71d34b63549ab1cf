import { joinNames } from '@switchboard/domain';
import { describeAccount, listConnections } from '@switchboard/domain/connections';
import { z } from 'zod';
import { formatPageCount } from '../format-count.js';
import { defineOperation } from '../define.js';
import { cursor, id, limit, metadata, pageOf, platformIds } from '../shapes.js';
import {
  compactConnection,
  connectionShape,
  connectionStatuses,
  exampleConnection,
  presentConnection,
} from './connection-shape.js';

export default defineOperation({
  name: 'listConnections',
  summary: 'List the connected accounts, newest first.',
  guidance:
    'Social accounts and stores. Status needs_reauth: the owner must reconnect it; call connect_account with its connection_id.',
  scope: 'connections:read',
  effect: 'read',
  boundary: 'read',
  toolset: 'connections',
  http: { method: 'get', path: '/connections', status: 200 },
  input: z.strictObject({
    profile_id: id(exampleConnection.profile_id).optional(),
    platform: platformIds.optional(),
    kind: z.enum(['social', 'commerce']).describe('Social accounts or stores.').optional(),
    status: z.array(connectionStatuses).min(1).max(3).describe('Any of these.').optional(),
    external_id: z.string().min(1).max(200).describe('Your own id.').optional(),
    metadata: metadata.describe('All match; in a query metadata.campaign=spring.').optional(),
    limit,
    cursor,
  }),
  output: pageOf(connectionShape),
  failures: ['profile.not_found', 'platform.not_found', 'request.invalid_cursor'],
  example: { input: { kind: 'social' }, output: { data: [exampleConnection], next_cursor: null } },
  mcp: { compact: ({ data, ...rest }) => ({ data: data.map(compactConnection), ...rest }) },
  sentence: (page, { platformName }) => {
    const expired = page.data.filter(({ status }) => status === 'needs_reauth');
    const names = joinNames(
      expired.map(({ account, platform }) => describeAccount(account, platformName(platform))),
    );
    const reauthNote =
      expired.length > 0 ? `; ${names} must be reconnected by the owner, with connect_account` : '';
    return `${formatPageCount(page, 'connection')}${reauthNote}.`;
  },
  useCase: listConnections,
  present: ({ items, nextCursor }, context) => ({
    data: items.map((view) => presentConnection(view, context)),
    next_cursor: nextCursor,
  }),
});
