import type { DeliveryAttempt } from '@switchboard/domain/deliveries';
import type { NewEvent } from '@switchboard/domain/events';
import type {
  Audit,
  AuditRow,
  CountedRow,
  Deliveries,
  Events,
  Idempotency,
  Ids,
} from '@switchboard/domain/ports';
import { jsonText, type DatabaseClient } from './columns.js';
import { Prisma } from './generated/client.js';
import { insertAttempts } from './delivery-sql.js';
import { insertEvents, prismaEvents } from './prisma-events.js';
import { storeResponseStatement, prismaIdempotency } from './prisma-idempotency.js';

/**
 * Deferred writes of a transaction that the transaction does not read again: attempts at deliveries, events, audit
 * rows and the response stored for an idempotency key. One statement writes them when the work is done, since every
 * statement is a round trip.
 */
interface TransactionOutbox extends Pick<Deliveries, 'insertAttempts'> {
  readonly events: Events;
  readonly audit: Audit;
  readonly idempotency: Idempotency;
  flush(): Promise<void>;
}

export function transactionOutbox(
  client: DatabaseClient,
  ids: Ids,
  currentTraceparent: () => string | null,
): TransactionOutbox {
  const attempts: DeliveryAttempt[] = [];
  const events: (Omit<NewEvent, 'traceparent'> & { id: string; traceparent: string | null })[] = [];
  const audit: (AuditRow & { id: string })[] = [];
  let storedResponse: Prisma.Sql | null = null;
  return {
    insertAttempts: async (...entries) => void attempts.push(...entries),
    events: {
      ...prismaEvents(client),
      async append(event) {
        const traceparent = event.traceparent ?? currentTraceparent();
        events.push({ ...event, id: ids.next('evt'), traceparent });
      },
    },
    audit: {
      append: async (row) => void audit.push({ ...row, id: ids.next('aud') }),
      async tally(rows) {
        if (rows.length > 0)
          await client.$executeRaw(upsertAuditCounts(rows.map((row) => ({ ...row, id: ids.next('aud') }))));
      },
    },
    idempotency: {
      ...prismaIdempotency(client),
      // The first response is never replaced.
      storeResponse: async (...kept) => void (storedResponse ??= storeResponseStatement(...kept)),
    },
    async flush() {
      const statements: Prisma.Sql[] = [];
      if (attempts.length > 0)
        statements.push(Prisma.sql`inserted_attempts AS (${insertAttempts(attempts)})`);
      if (events.length > 0) statements.push(Prisma.sql`inserted_events AS (${insertEvents(events)})`);
      if (audit.length > 0) statements.push(Prisma.sql`inserted_audit_rows AS (${insertAuditRows(audit)})`);
      if (storedResponse) statements.push(Prisma.sql`stored_response AS (${storedResponse})`);
      if (statements.length > 0) await client.$executeRaw`WITH ${Prisma.join(statements)} SELECT`;
    },
  };
}

const insertAuditRows = (rows: readonly object[]) => Prisma.sql`
  INSERT INTO audit_rows (id, workspace_id, actor, action, object, outcome, request_id, details)
  SELECT id, "workspaceId", actor, action, object, outcome, "requestId", details
  FROM jsonb_to_recordset(${jsonText(rows)}::jsonb) AS input (id text, "workspaceId" text, actor text, action text,
    object text, outcome text, "requestId" text, details jsonb)`;

const upsertAuditCounts = (rows: readonly (CountedRow & { id: string })[]) => Prisma.sql`
  INSERT INTO audit_rows (id, workspace_id, actor, action, object, outcome, request_id, details, batch, count)
  SELECT id, "workspaceId", actor, action, object, outcome, "requestId", details, batch, count
  FROM jsonb_to_recordset(${jsonText(rows)}::jsonb) AS input (id text, "workspaceId" text, actor text, action text,
    object text, outcome text, "requestId" text, details jsonb, batch text, count integer)
  ON CONFLICT (workspace_id, batch) WHERE seq IS NULL AND batch IS NOT NULL
  DO UPDATE SET count = audit_rows.count + excluded.count`;
