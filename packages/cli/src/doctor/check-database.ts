import { ConfigurationError, inspectDatabase, type Config, type DatabaseFacts } from '@switchboard/bootstrap';
import { passedCheck, failedCheck, type Check } from './check.js';

/**
 * The clock of the database decides what is due, ours decides deadlines; beyond this offset the two disagree
 * visibly.
 */
const OFFSET_MAX_MS = 2000;

interface DatabaseChecks extends Partial<Pick<DatabaseFacts, 'ownApps' | 'adapterFaults'>> {
  readonly checks: readonly Check[];
}

export async function checkDatabase(config: Config): Promise<DatabaseChecks> {
  try {
    const facts = await inspectDatabase(config);
    const kind = config.databaseUrl === null ? 'embedded' : 'external';
    const checks = [
      passedCheck('database', `PostgreSQL ${facts.serverVersion} (${kind}) responds`),
      checkMigrations(facts, config),
      checkVault(facts),
      checkClock(facts),
    ];
    return { checks, ownApps: facts.ownApps, adapterFaults: facts.adapterFaults };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const advice =
      config.databaseUrl === null
        ? `See keeper.log in ${config.dataDir}, or set DATABASE_URL to an external PostgreSQL.`
        : 'Check DATABASE_URL and that its server runs.';
    return { checks: [failedCheck('database', error.message, advice)] };
  }
}

function checkMigrations({ migrations }: DatabaseFacts, { migrate }: Config): Check {
  const { pending, changed, failed, unknown } = migrations;
  const name = 'migrations';
  if (failed[0])
    return failedCheck(
      name,
      `${failed[0]} started but did not complete`,
      'Inspect the database, then resolve it with `prisma migrate resolve`.',
    );
  if (changed[0])
    return failedCheck(
      name,
      `${changed[0]} was modified after it was applied`,
      'Restore the original migration.',
    );
  if (pending.length === 0)
    return passedCheck(
      name,
      unknown.length === 0 ? 'all applied' : `all applied, and ${unknown.length} of a newer version`,
    );
  return migrate === 'auto'
    ? passedCheck(name, `${pending.length} pending, applied at the next start`)
    : failedCheck(name, `${pending.length} pending`, 'Run `switchboard migrate`.');
}

function checkVault({ vault }: DatabaseFacts): Check {
  switch (vault.state) {
    case 'ok':
      return passedCheck('vault', 'the master key matches this database');
    case 'empty':
      return passedCheck('vault', 'no encrypted data in this database yet');
    case 'not_migrated':
      return passedCheck('vault', 'unknown until the migrations are applied');
    case 'problem':
      return failedCheck('vault', vault.reason, 'Use the master key that belongs to this database.');
  }
}

function checkClock({ clockOffsetMs }: DatabaseFacts): Check {
  const detail = `the database is ${Math.abs(clockOffsetMs)} ms ${clockOffsetMs < 0 ? 'behind' : 'ahead'}`;
  return Math.abs(clockOffsetMs) <= OFFSET_MAX_MS
    ? passedCheck('clock', detail)
    : failedCheck('clock', detail, 'Synchronize the clocks of both machines (NTP).');
}
