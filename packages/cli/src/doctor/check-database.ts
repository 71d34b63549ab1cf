import { ConfigurationError, inspectDatabase, type Config, type DatabaseFacts } from '@switchboard/bootstrap';
import { passedCheck, failedCheck, type Check } from './check.js';

/** What is due is decided by the database's clock and deadlines by ours; further apart than this, they disagree visibly. */
const OFFSET_MAX_MS = 2000;

export interface DatabaseChecks extends Partial<Pick<DatabaseFacts, 'ownApps'>> {
  readonly checks: readonly Check[];
}

export async function checkDatabase(config: Config): Promise<DatabaseChecks> {
  try {
    const facts = await inspectDatabase(config);
    const kind = config.databaseUrl === null ? 'embedded' : 'yours';
    const checks = [
      passedCheck('database', `PostgreSQL ${facts.serverVersion} (${kind}) answers`),
      checkMigrations(facts, config),
      checkVault(facts),
      checkClock(facts),
    ];
    return { checks, ownApps: facts.ownApps };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const advice =
      config.databaseUrl === null
        ? `See keeper.log in ${config.dataDir}, or set DATABASE_URL to a PostgreSQL of your own.`
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
      `${failed[0]} began and did not finish`,
      'Look at the database, then mark it with Prisma.',
    );
  if (changed[0])
    return failedCheck(
      name,
      `${changed[0]} was changed after it had been applied`,
      'Put back the migration as it was.',
    );
  if (pending.length === 0)
    return passedCheck(
      name,
      unknown.length === 0 ? 'all applied' : `all applied, and ${unknown.length} of a newer version`,
    );
  return migrate === 'auto'
    ? passedCheck(name, `${pending.length} to apply, which the next start does`)
    : failedCheck(name, `${pending.length} missing`, 'Run `switchboard migrate`.');
}

function checkVault({ vault }: DatabaseFacts): Check {
  switch (vault.state) {
    case 'ok':
      return passedCheck('vault', 'the master key opens this database');
    case 'empty':
      return passedCheck('vault', 'nothing was sealed in this database yet');
    case 'not_migrated':
      return passedCheck('vault', 'not to be seen before the migrations are applied');
    case 'problem':
      return failedCheck('vault', vault.why, 'Start with the key and the database that belong together.');
  }
}

function checkClock({ clockOffsetMs }: DatabaseFacts): Check {
  const detail = `the database is ${Math.abs(clockOffsetMs)} ms ${clockOffsetMs < 0 ? 'behind' : 'ahead'}`;
  return Math.abs(clockOffsetMs) <= OFFSET_MAX_MS
    ? passedCheck('clock', detail)
    : failedCheck('clock', detail, 'Synchronise both machines’ clocks (NTP).');
}
