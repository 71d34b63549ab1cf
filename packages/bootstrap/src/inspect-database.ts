import { existsSync } from 'node:fs';
import type { CountedFault } from '@switchboard/domain/ports';
import {
  openDatabase,
  prismaCanaries,
  prismaDataKeys,
  prismaProcessRegistry,
  type PrismaClient,
} from '@switchboard/persistence';
import { migrate, type MigrationState } from '@switchboard/persistence/migrate';
import type { Config } from './config.js';
import { ConfigurationError } from './configuration-error.js';
import { throwUnreachable, prismaDir } from './database.js';
import { ownKeyFile } from './load-master-keys.js';
import { openVault, requireMasterKeys } from './open-vault.js';
import { acquireDatabase } from './acquire-database.js';
import { systemClock as clock } from './system-clock.js';

export interface DatabaseFacts {
  readonly serverVersion: string;
  readonly migrations: MigrationState;
  /**
   * The number of workspaces with their own OAuth app, by platform; unknown before the migrations are
   * applied.
   */
  readonly ownApps: ReadonlyMap<string, number>;
  /** What external adapters did wrong in the running processes. */
  readonly adapterFaults: readonly CountedFault[];
  /** The offset of the database clock to that of this process. */
  readonly clockOffsetMs: number;
  /** `empty`: nothing was ever encrypted. Otherwise whether the master key decrypts it, and why not. */
  readonly vault:
    | { readonly state: 'empty' | 'ok' | 'not_migrated' }
    | { readonly state: 'problem'; readonly reason: string };
}

/** Inspects the database without changing it. Throws a `ConfigurationError` when it cannot be reached. */
export async function inspectDatabase(config: Config): Promise<DatabaseFacts> {
  const { url, directUrl, isPooled, release } = await acquireDatabase(config);
  try {
    const { state } = await migrate(directUrl, prismaDir, 'check').catch(throwUnreachable);
    const database = openDatabase(url, { max: 1, isPooled });
    try {
      return {
        migrations: state,
        ...(await readServerFacts(database.prisma)),
        adapterFaults: state.pending.length > 0 ? [] : await listAdapterFaults(database.prisma),
        ownApps: state.pending.length > 0 ? new Map() : await ownApps(database.prisma),
        vault: state.pending.length > 0 ? { state: 'not_migrated' } : await vault(config, database.prisma),
      };
    } finally {
      await database.close();
    }
  } finally {
    await release();
  }
}

async function readServerFacts(
  prisma: PrismaClient,
): Promise<Pick<DatabaseFacts, 'serverVersion' | 'clockOffsetMs'>> {
  const ask = () =>
    prisma.$queryRaw<
      { readonly at: number; readonly version: string }[]
    >`SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS at, current_setting('server_version') AS version`;
  // The first query waits for the connection.
  await ask();
  const sentMs = clock.now().getTime();
  const [row] = await ask();
  const midpointMs = (sentMs + clock.now().getTime()) / 2;
  return {
    serverVersion: row?.version ?? '',
    clockOffsetMs: Math.round((row?.at ?? midpointMs) - midpointMs),
  };
}

async function ownApps(prisma: PrismaClient): Promise<ReadonlyMap<string, number>> {
  const rows = await prisma.$queryRaw<
    { readonly platform: string; readonly workspaces: number }[]
  >`SELECT platform, count(DISTINCT workspace_id)::int AS workspaces FROM platform_apps GROUP BY platform`;
  return new Map(rows.map(({ platform, workspaces }) => [platform, workspaces]));
}

async function listAdapterFaults(prisma: PrismaClient): Promise<readonly CountedFault[]> {
  const processes = await prismaProcessRegistry(prisma).list();
  return processes.flatMap(({ adapterFaults = [] }) => adapterFaults);
}

async function vault(config: Config, prisma: PrismaClient): Promise<DatabaseFacts['vault']> {
  const storage = { dataKeys: prismaDataKeys(prisma), canaries: prismaCanaries(prisma) };
  if (!(await storage.canaries.find())) return { state: 'empty' };
  const file = ownKeyFile(config);
  const { masterKeys, masterKeysFile, transit } = config;
  if (masterKeys === null && masterKeysFile === null && transit === null && !existsSync(file)) {
    return {
      state: 'problem',
      reason: `This database was encrypted with a master key, and ${file} is missing. Restore it, or set SWITCHBOARD_MASTER_KEYS.`,
    };
  }
  try {
    await openVault(await requireMasterKeys(config), storage, clock);
    return { state: 'ok' };
  } catch (error) {
    if (error instanceof ConfigurationError) return { state: 'problem', reason: error.message };
    throw error;
  }
}
