import { Secret } from '@switchboard/domain';
import { importConnections } from '@switchboard/domain/connections';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { formatCount } from '../format-count.js';
import { errorShape, presentError } from '../pipeline/error-shape.js';
import { id, instant, metadata } from '../shapes.js';
import { exampleConnection } from './connection-shape.js';

const TOKEN_MAX = 16_384;

/** A secret of the caller: wrapped as soon as it is read, so that nothing prints it. */
const token = z
  .string()
  .min(1)
  .max(TOKEN_MAX)
  .meta({ format: 'password', writeOnly: true })
  .transform((text) => new Secret(text));

const text = (max: number) => z.string().min(1).max(max);

const connectionToImport = z.strictObject({
  platform: text(100),
  profile_id: id('prf_01kah3v5w8e2m6r9t0x4y7z1ab')
    .describe('Required unless there is one profile.')
    .optional(),
  server: text(2000).describe('Where each account has a server, store or shop name.').optional(),
  account_id: text(500).describe('The account that the login must open.').optional(),
  access_token: token,
  refresh_token: token.optional(),
  expires_at: instant.describe('Of access_token.').optional(),
  permissions: z.array(text(200)).max(100).optional(),
  app: z
    .strictObject({ client_id: text(2000) })
    .describe('The app of the tokens.')
    .optional(),
  external_id: text(200).optional(),
  metadata: metadata.optional(),
});

export default defineOperation({
  name: 'importConnections',
  summary: 'Import the connections of another system with their tokens.',
  guidance:
    'Each token is verified at its platform. A row that is imported again changes nothing; a login that works is not replaced. Afterwards only Switchboard may refresh the tokens.',
  scope: 'workspace:admin',
  effect: 'create',
  boundary: 'staged',
  http: { method: 'post', path: '/connections/import', status: 200 },
  input: z.strictObject({
    connections: z.array(connectionToImport).min(1).max(100),
    dry_run: z.boolean().describe('Verify, and store nothing.').optional(),
  }),
  output: z.object({
    results: z.array(
      z.object({
        index: z.int(),
        status: z.enum(['imported', 'updated', 'failed']),
        connection_id: z.string().optional(),
        error: errorShape.optional(),
      }),
    ),
  }),
  failures: [],
  example: {
    input: {
      connections: [
        { platform: 'linkedin', access_token: 'AQV…', refresh_token: 'AQX…', app: { client_id: '77abc' } },
      ],
    },
    output: { results: [{ index: 0, status: 'imported', connection_id: exampleConnection.id }] },
  },
  sentence: ({ results }) => {
    const count = (wanted: string) => results.filter(({ status }) => status === wanted).length;
    return `Imported ${formatCount(count('imported'), 'connection')}, found ${count('updated')} connected, and ${count('failed')} failed.`;
  },
  writesOwnAuditRow: true,
  useCase: importConnections,
  present: (imported) => ({
    results: imported.map((row, index) =>
      row.status === 'failed'
        ? {
            index,
            status: row.status,
            error: presentError({ ...row.failure, platform: row.failure.platform }),
          }
        : {
            index,
            status: row.status,
            ...(row.connectionId !== null && { connection_id: row.connectionId }),
          },
    ),
  }),
});
