import type { Clock, Failure, Ids, Jobs, Refused, Transactions } from '@switchboard/domain';
import type { Client } from './columns.js';
import { Prisma, type PrismaClient } from './generated/client.js';
import { Outrun } from './outrun.js';
import { partingWords } from './parting-words.js';
import { prismaLedger } from './prisma-ledger.js';
import { prismaRepositories } from './prisma-repositories.js';

export interface TransactionParts {
  readonly ids: Ids;
  readonly clock: Clock;
  /** The queue, as it is used inside the given transaction. */
  readonly jobsIn: (client: Client) => Jobs;
  /** After this a transaction is undone, unless it was said to last. */
  readonly timeoutMs?: number;
}

const ATTEMPTS = 5;
/** Nothing in a transaction waits for a network; the longest wait is for another refund of the same order. */
const TIMEOUT_MS = 20_000;
const LASTING_MS = 3_600_000;
const WAIT_MAX_MS = 10_000;

/** Carries a failure value out of Prisma's transaction, which rolls back only when something is thrown. */
class Rollback extends Error {
  readonly refused: Refused;
  constructor(refused: Refused) {
    super('rolled back');
    this.refused = refused;
  }
}

export function prismaTransactions(
  prisma: PrismaClient,
  { ids, clock, jobsIn, timeoutMs = TIMEOUT_MS }: TransactionParts,
): Transactions {
  return {
    async run(work, patience) {
      const limits = { maxWait: WAIT_MAX_MS, timeout: patience === 'lasting' ? LASTING_MS : timeoutMs };
      for (let attempt = 1; ; attempt++) {
        try {
          return await prisma.$transaction(async (client) => {
            if (patience === 'lasting') await client.$executeRaw`SET LOCAL statement_timeout = 0`;
            const words = partingWords(client, ids);
            const result = await work({
              ...prismaRepositories(client),
              events: words.events,
              audit: words.audit,
              idempotency: words.idempotency,
              ledger: prismaLedger(client),
              jobs: jobsIn(client),
            });
            if (!result.ok) throw new Rollback(result);
            await words.write();
            return result;
          }, limits);
        } catch (error) {
          if (error instanceof Rollback)
            return { ok: false, failure: error.refused.failure as Failure<never> };
          if (attempt === ATTEMPTS || !mayBeRepeated(error)) throw error;
          await clock.sleep(attempt * 20);
        }
      }
    },
  };
}

const SERIALIZATION_FAILURE = '40001';
const DEADLOCK = '40P01';

/** The database undid the transaction because of another one, and says that it may be run again. */
function mayBeRepeated(error: unknown): boolean {
  if (error instanceof Outrun) return true;
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return false;
  if (error.code === 'P2034') return true;
  const state = JSON.stringify(error.meta ?? {});
  return (
    error.code === 'P2010' &&
    (state.includes(`"${SERIALIZATION_FAILURE}"`) || state.includes(`"${DEADLOCK}"`))
  );
}
