import pg from 'pg';
import type { Failure, Refusal } from '@switchboard/domain';
import type { Clock, Ids, Jobs, Transactions } from '@switchboard/domain/ports';
import type { DatabaseClient } from './columns.js';
import { Prisma, type PrismaClient } from './generated/client.js';
import { WriteConflictError } from './write-conflict-error.js';
import { transactionOutbox } from './transaction-outbox.js';
import { prismaLedger } from './prisma-ledger.js';
import { prismaRepositories } from './prisma-repositories.js';

interface TransactionDeps {
  readonly ids: Ids;
  readonly clock: Clock;
  /** The queue, bound to the given transaction. */
  readonly jobsIn: (client: DatabaseClient) => Jobs;
  /** The trace that a transaction belongs to: new events and deliveries refer to it. */
  readonly currentTraceparent?: () => string | null;
  /** A transaction is rolled back after this time, unless it is marked as long-running. */
  readonly timeoutMs?: number;
}

const ATTEMPTS = 5;
/** Transactions do not wait for the network; the longest wait is for another refund of the same order. */
const TIMEOUT_MS = 20_000;
const LONG_TIMEOUT_MS = 3_600_000;
const WAIT_MAX_MS = 10_000;

/** Carries a failure value out of Prisma's transaction, which rolls back only on an exception. */
class RollbackError extends Error {
  readonly refused: Refusal;
  constructor(refused: Refusal) {
    super('rolled back');
    this.refused = refused;
  }
}

export function prismaTransactions(
  prisma: PrismaClient,
  { ids, clock, jobsIn, currentTraceparent = () => null, timeoutMs = TIMEOUT_MS }: TransactionDeps,
): Transactions {
  return {
    async run(work, patience) {
      const limits = { maxWait: WAIT_MAX_MS, timeout: patience === 'lasting' ? LONG_TIMEOUT_MS : timeoutMs };
      for (let attempt = 1; ; attempt++) {
        try {
          return await prisma.$transaction(async (client) => {
            if (patience === 'lasting') await client.$executeRaw`SET LOCAL statement_timeout = 0`;
            const outbox = transactionOutbox(client, ids, currentTraceparent);
            const repositories = prismaRepositories(client, currentTraceparent);
            const result = await work({
              ...repositories,
              deliveries: { ...repositories.deliveries, insertAttempts: outbox.insertAttempts },
              events: outbox.events,
              audit: outbox.audit,
              idempotency: outbox.idempotency,
              ledger: prismaLedger(client),
              jobs: jobsIn(client),
            });
            if (!result.ok) throw new RollbackError(result);
            await outbox.flush();
            return result;
          }, limits);
        } catch (error) {
          if (error instanceof RollbackError)
            return { ok: false, failure: error.refused.failure as Failure<never> };
          if (attempt === ATTEMPTS || !isRetryable(error)) throw error;
          await clock.sleep(attempt * 20);
        }
      }
    },
  };
}

/** SQLSTATE of serialization failures and deadlocks. */
const retryableStates = ['40001', '40P01'];

/** The database rolled back the transaction because of a conflict, and it can be retried. */
function isRetryable(error: unknown): boolean {
  if (error instanceof WriteConflictError) return true;
  if (error instanceof pg.DatabaseError) return retryableStates.includes(error.code ?? '');
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2034';
}
