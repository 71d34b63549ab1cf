import { listAudit } from '@switchboard/domain/audit';
import { z } from 'zod';
import { formatPageCount } from '../format-count.js';
import { defineOperation } from '../define.js';
import { isStorable } from '../pipeline/is-storable.js';
import { components, cursor, instant, limit, pageOf, time } from '../shapes.js';
import { toWireFormat } from '../wire-format.js';

const auditShape = z.object({
  id: z.string(),
  at: time,
  actor: z.string().meta({ description: 'Id of a key, or `system:<component>`.' }),
  action: z.string().meta({ description: 'Name of the operation, or of an internal action.' }),
  object: z.string().nullable().meta({ description: 'Id of the affected object.' }),
  outcome: z.string().meta({
    description: '`ok`, `begun` for the first step of a multi-step operation, or the failure code.',
  }),
  request_id: z.string(),
  details: z.record(z.string(), z.unknown()).meta({
    description: '`count` is the number of identical events that one row aggregates in a minute.',
  }),
  sealed: z
    .boolean()
    .meta({ description: 'Whether the row is part of the hash chain; sealing takes a few seconds.' }),
});
auditShape.register(components, { id: 'AuditEntry' });

export default defineOperation({
  name: 'listAudit',
  summary: 'List the actions in the workspace and their actors, newest first.',
  guidance:
    'Every change, every rejected call of an existing key, and every use of a connected account’s credential. Identical uses and rejections are aggregated to one row a minute with their count. `switchboard audit verify` proves that rows were not altered.',
  scope: 'audit:read',
  effect: 'read',
  boundary: 'read',
  http: { method: 'get', path: '/audit', status: 200 },
  input: z.strictObject({
    actor: exact('Id of a key, or for example `system:worker`.'),
    action: exact('Name of an operation, or for example `token.used`.'),
    object: exact('Id as stored in the rows; the object may no longer exist.'),
    after: instant.optional(),
    before: instant.optional(),
    limit,
    cursor,
  }),
  output: pageOf(auditShape),
  failures: ['request.invalid_cursor'],
  example: {
    input: { action: 'createProfile' },
    output: {
      data: [
        {
          id: 'aud_01kah3v5w8e2m6r9t0x4y7z1ab',
          at: '2026-11-21T09:00:00.000Z',
          actor: 'key_01kah3v5w8e2m6r9t0x4y7z1ab',
          action: 'createProfile',
          object: 'prf_01kah3v5w8e2m6r9t0x4y7z1ab',
          outcome: 'ok',
          request_id: 'req_01kah3v5w8e2m6r9t0x4y7z1ab',
          details: { surface: 'rest' },
          sealed: true,
        },
      ],
      next_cursor: null,
    },
  },
  sentence: (page) => `${formatPageCount(page, 'row')}.`,
  useCase: listAudit,
  present: ({ items, nextCursor }) => ({
    data: items.map(({ details, batch, count, ...row }) => ({
      ...toWireFormat(row),
      details: batch === null ? details : { ...details, count },
    })),
    next_cursor: nextCursor,
  }),
});

/** An exact match. Text that the database cannot store is in no row. */
function exact(description: string) {
  return z
    .string()
    .max(300)
    .overwrite((text) => (isStorable(text) ? text : ''))
    .optional()
    .meta({ description });
}
