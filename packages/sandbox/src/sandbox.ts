import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { application } from './application.js';
import { type World, adjustableClock } from './world.js';
import { type Control, createControl } from './control/control.js';
import { type Faults, createFaults, hashOf } from './faults.js';
import { openFileStore } from './files.js';
import { openJournal } from './journal.js';
import { type Ledger, openLedger } from './ledger.js';
import { createClientRegistry } from './oauth/client.js';
import { createGrantStore, type Bearer } from './oauth/grants.js';
import { type LoggedRequest, requestLog } from './request-log.js';
import { createSettingsStore } from './settings.js';

interface SandboxOptions {
  /** Omitted or 0: any free port. */
  readonly port?: number | undefined;
  readonly host?: '127.0.0.1' | undefined;
  /** The file to which effects are appended, one JSON line each. Omitted: in memory only. */
  readonly ledgerFile?: string | undefined;
  /**
   * The file in which grants, posts, refunds, settings and the clock survive a restart; media is stored in a
   * directory next to it. Omitted: discarded at close.
   */
  readonly stateFile?: string | undefined;
  /** Identifies the installation in tokens. Omitted: random, and stored in the state file. */
  readonly installation?: string | undefined;
  readonly seed?: number | undefined;
  /** The number of seeded orders per shop, instead of the shop's own. */
  readonly ordersOfEachShop?: number | undefined;
  readonly clock?: (() => Date) | undefined;
  /** Redirect URIs that are accepted in addition to loopback ones. */
  readonly redirectUris?: readonly string[] | undefined;
  /** Another authorization server's token validation for the social API, in place of the sandbox's own. */
  readonly socialBearer?: ((token: string) => Promise<Bearer>) | undefined;
}

export interface Sandbox {
  /** Without a trailing slash. */
  readonly url: string;
  readonly ledger: Pick<Ledger, 'entries'>;
  readonly faults: Omit<Faults, 'take'>;
  readonly control: Control;
  /** The requests that reached the platforms, oldest first, without secrets. */
  requests(): LoggedRequest[];
  /** Closes every connection, including hanging ones; nothing takes effect afterwards. */
  close(): Promise<void>;
}

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { port = 0, host = '127.0.0.1', stateFile, installation, socialBearer, seed = 1 } = options;
  // Binds the port first: its owner also owns the state, and a second sandbox on the same file must not touch
  // it.
  const server = createServer();
  // A client that is slow, as in a test on a busy machine, keeps its connection.
  server.keepAliveTimeout = 75_000;
  await new Promise<void>((listening, failed) => server.once('error', failed).listen(port, host, listening));
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`;
  const journal = openJournal(stateFile);
  const ledger = openLedger(options.ledgerFile);
  const clock = adjustableClock(options.clock ?? (() => new Date()), journal);
  const stopping = new AbortController();
  // The seeded history is part of the state: it stays unchanged after a restart on another day or with
  // another seed.
  const started = journal.collection<{ epoch: string; seed: number; installation?: string }>('begun');
  const begun = started.get('sandbox');
  const { epoch, seed: begunSeed } = begun ?? { epoch: clock.now().toISOString().slice(0, 10), seed };
  const installationId =
    installation === undefined
      ? (begun?.installation ?? randomBytes(6).toString('hex'))
      : hashOf(installation).slice(0, 12);
  started.set('sandbox', { epoch, seed: begunSeed, installation: installationId });

  const world: World = {
    installation: installationId,
    seed: begunSeed,
    ordersOfEachShop: options.ordersOfEachShop,
    epoch: new Date(`${epoch}T00:00:00.000Z`),
    clock,
    journal,
    files: openFileStore(stateFile && `${stateFile}.media`),
    ledger,
    faults: createFaults(),
    requests: requestLog(),
    settings: createSettingsStore(journal),
    clients: createClientRegistry(journal),
    redirectUris: options.redirectUris ?? [],
    stopping: stopping.signal,
    origin: () => origin,
  };
  const grants = { social: createGrantStore(world, 'social'), store: createGrantStore(world, 'store') };
  const control = createControl(world, grants);
  server.on(
    'request',
    application(world, grants, control, socialBearer ? { bearer: socialBearer } : grants.social),
  );

  return {
    url: origin,
    ledger,
    faults: world.faults,
    control,
    requests: () => world.requests.entries(),
    async close() {
      stopping.abort();
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
      journal.close();
      ledger.close();
    },
  };
}
