import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Config } from './config.js';
import { probeProcess } from './probe-process.js';

const recordShape = z.object({
  app: z.enum(['rest', 'mcp-http']),
  pid: z.int().positive(),
  /** Also in the response of `/healthz`: the process id may belong to another program by now. */
  instance_id: z.string(),
  started_at: z.iso.datetime(),
  /** Where this machine reaches the process, regardless of its public URL. */
  url: z.url(),
  /** What other programs of the installation have to know of the configuration it was started with. */
  config: z.object({
    port: z.int().optional(),
    publicUrl: z.url().optional(),
    sandbox: z.boolean().optional(),
    sandboxPort: z.int().optional(),
    mcpPort: z.int().optional(),
    mcpPublicUrl: z.url().optional(),
  }),
});

/** A process that serves HTTP for this data directory, as it recorded itself when it was ready. */
export type ProcessRecord = z.output<typeof recordShape>;

const folderOf = (dataDir: string) => path.join(dataDir, 'processes');

/**
 * Records a serving process in the data directory, so that the command line and MCP over stdio address this
 * installation whatever ports it was started with. Returns what removes the record. Removes the records of
 * processes that were killed.
 */
export async function recordProcess(
  served: Config,
  self: Pick<ProcessRecord, 'app' | 'instance_id' | 'started_at'>,
): Promise<() => Promise<void>> {
  const { dataDir, port, publicUrl, sandbox, sandboxPort, mcpPort, mcpPublicUrl } = served;
  const folder = folderOf(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    const left = parseRecord(await readFile(path.join(folder, name), 'utf8').catch(() => ''));
    if (left && !isAlive(left.pid)) await rm(path.join(folder, name), { force: true });
  }
  const url = localUrl(served, self.app === 'rest' ? port : mcpPort);
  const config = self.app === 'rest' ? { port, publicUrl, sandbox, sandboxPort } : { mcpPort, mcpPublicUrl };
  const record: ProcessRecord = { ...self, pid: process.pid, url, config };
  const file = path.join(folder, `${self.app}-${process.pid}.json`);
  await writeFile(`${file}.new`, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  await rename(`${file}.new`, file);
  return () => rm(file, { force: true });
}

/**
 * The processes that serve HTTP for this data directory on this machine: the record of each one whose process
 * id is in use, the latest of each app last. Reads files only.
 */
export function listProcessRecords({ dataDir }: Pick<Config, 'dataDir'>): readonly ProcessRecord[] {
  const folder = folderOf(dataDir);
  let names: readonly string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
  return names
    .map((name) => parseRecord(readFileSync(path.join(folder, name), 'utf8')))
    .filter((record) => record !== null)
    .filter(({ pid }) => isAlive(pid))
    .sort((a, b) => a.started_at.localeCompare(b.started_at));
}

const EVERYWHERE = ['0.0.0.0', '::'];

/** The URL at which a process of this machine listens, regardless of its public URL. */
export function localUrl({ host, tls }: Pick<Config, 'host' | 'tls'>, port: number): string {
  const name = EVERYWHERE.includes(host) ? '127.0.0.1' : host;
  return `${tls === null ? 'http' : 'https'}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** The configuration with the addresses of the running processes of its data directory. */
export const withRunningAddresses = (config: Config): Config =>
  Object.assign({}, config, ...listProcessRecords(config).map((record) => record.config)) as Config;

/**
 * Whether the process of a record responds. False for another program that has its process id or its port now.
 */
export async function isResponding({ url, instance_id }: ProcessRecord): Promise<boolean> {
  const health = await probeProcess(`${url}/healthz`);
  return health?.status === 200 && (health.json as { instance?: unknown } | null)?.instance === instance_id;
}

function parseRecord(text: string): ProcessRecord | null {
  try {
    return recordShape.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
