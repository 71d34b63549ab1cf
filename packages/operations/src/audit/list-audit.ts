import { listAudit } from '@switchboard/domain';
import { z } from 'zod';
import { formatPageCount } from '../format-count.js';
import { defineOperation } from '../define.js';
import { isStorable } from '../is-storable.js';
import { cursor, instant, isoTime, limit, pageOf, time } from '../shapes.js';

const auditShape = z.object({
  id: z.string(),
  at: time,
  actor: z.string().meta({ description: 'The id of a key, or `system:` and a part of the service.' }),
  action: z.string().meta({ description: 'The operation, or what a part of the service did.' }),
  object: z.string().nullable().meta({ description: 'The id of what it was done to.' }),
  outcome: z.string().meta({
    description: '`ok`, `begun` for the first step of what takes several, or the code of the failure.',
  }),
  request_id: z.string(),
  details: z.record(z.string(), z.unknown()).meta({
    description: '`count` says how often, where one row stands for all of its kind in a minute.',
  }),
  sealed: z.boolean().meta({ description: 'Whether it is chained already, which takes seconds.' }),
});

export default defineOperation({
  name: 'listAudit',
  summary: 'List what was done in the workspace and by whom, newest first.',
  guidance:
    'Every change, every refusal of an existing key, and every use of a connected account’s login. Uses and refusals that are alike are one row a minute, with their number. `switchboard audit verify` proves that rows were not changed.',
  scope: 'audit:read',
  effect: 'read',
  boundary: 'read',
  surfaces: ['rest'],
  toolset: 'admin',
  http: { method: 'get', path: '/audit', status: 200 },
  input: z.strictObject({
    actor: exact('The id of a key, or for example `system:worker`.'),
    action: exact('The name of an operation, or for example `token.used`.'),
    object: exact('An id as it stands in rows; what it names need not exist any more.'),
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
    data: items.map(
      ({ id, at, actor, action, object, outcome, requestId, details, batch, count, sealed }) => ({
        id,
        at: isoTime(at),
        actor,
        action,
        object,
        outcome,
        request_id: requestId,
        details: batch === null ? details : { ...details, count },
        sealed,
      }),
    ),
    next_cursor: nextCursor,
  }),
});

/** Compared as it stands. Text that the database cannot hold is in no row. */
function exact(description: string) {
  return z
    .string()
    .max(300)
    .overwrite((text) => (isStorable(text) ? text : ''))
    .optional()
    .meta({ description });
}
