import { setTimeout as sleep } from 'node:timers/promises';
import { formatId, type ProfileId, type WorkspaceId } from '@switchboard/domain';
import { seededRandom } from '@switchboard/sandbox';
import { insertEvents } from '@switchboard/persistence/testing';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { asObject, asObjects, asText } from '../support/json.js';
import { restClient, type RestClient } from '../support/rest-client.js';
import type { Switchboard } from '../support/installation.js';
import { startSwitchboard } from '../support/start-switchboard.js';

export interface EventChaosOptions {
  readonly name: string;
  readonly seed: number;
  /** A separate database instead of one on the test server. */
  readonly databaseUrl?: string | undefined;
  readonly events: number;
  readonly perSecond: number;
  /** How long a slow transaction stays open after its event was inserted. */
  readonly heldMaxMs: number;
  readonly log: (line: string) => void;
}

const WRITERS = 60;
const OBJECTS = 2000;
/** One transaction of fifty stays open for long, the others for a few milliseconds; one of twenty rolls back. */
const SLOW_SHARE = 0.02;
const QUICK_MAX_MS = 30;
const ROLLBACK_SHARE = 0.05;
const KILL_EVERY_MS = 1000;
const WAIT_SECONDS = 20;

/**
 * Readers of two processes follow the events while writers hold their transactions open for random times, roll some
 * back and lose their connections. Each reader must list every committed event that its filter selects once, and the
 * events of an object in the order of its changes.
 */
export async function runEventChaos(options: EventChaosOptions) {
  const switchboard = await startSwitchboard({
    name: options.name,
    databaseUrl: options.databaseUrl,
    env: { SWITCHBOARD_ROLES: 'http', LOG_LEVEL: 'warn' },
  });
  try {
    return await followEvents(switchboard, options);
  } finally {
    await switchboard.stop();
  }
}

interface ObjectVersion {
  readonly object: number;
  readonly version: number;
}

async function followEvents(switchboard: Switchboard, options: EventChaosOptions) {
  const client = restClient(switchboard.url, switchboard.keys.full);
  const replica = await switchboard.startReplica();
  const [{ id: mine }] = asObjects((await client.expect(200, 'GET', '/profiles')).data) as [{ id: unknown }];
  const body = { name: 'Other' };
  const other = asText((await client.expect(201, 'POST', '/profiles', { body })).id);
  const workspaceId = asText(
    asObject((await client.expect(200, 'GET', '/me'))['workspace'])['id'],
  ) as WorkspaceId;
  const start = asText((await client.expect(200, 'GET', '/events', { query: { after: 'now' } })).after);

  const pool = new pg.Pool({
    connectionString: switchboard.databaseUrl,
    max: WRITERS,
    application_name: 'event_writer',
  });
  pool.on('connect', (connection) => connection.on('error', () => undefined));
  pool.on('error', () => undefined);
  await pool.query('CREATE TABLE chaos_objects (id int PRIMARY KEY, version int NOT NULL)');
  await pool.query('INSERT INTO chaos_objects SELECT n, 0 FROM generate_series(1, $1) AS n', [OBJECTS]);

  const ended = new AbortController();
  const elsewhere = restClient(replica.url, switchboard.keys.full);
  const readers = [
    followAs('all', client, {}),
    followAs('all elsewhere', elsewhere, {}),
    followAs('by type', elsewhere, { type: 'post.published' }),
    followAs('by profile', client, { profile_id: other }),
  ].map((follow) => follow(start, ended.signal));
  const written = await writeEvents(pool, options, workspaceId, [
    asText(mine) as ProfileId,
    other as ProfileId,
  ]);
  options.log(`${written.acknowledged} events were written, ${written.perSecond} a second.`);
  ended.abort();
  const lists = await Promise.all(readers);

  const { rows: committed } = await pool.query<CommittedEvent>(
    `SELECT id, type, profile_id AS profile, data ->> 'post_id' AS object, data ->> 'scheduled_at' AS version
     FROM events WHERE data ->> 'post_id' LIKE 'pst_chaos_%' ORDER BY seq`,
  );
  await pool.query('DROP TABLE chaos_objects');
  await pool.end();
  const results = lists.map(({ name, query, events }) =>
    compareLists(
      name,
      events,
      committed.filter((event) => isSelected(event, query)),
    ),
  );
  const known = new Set(committed.map(({ id }) => id));
  const lost = written.ids.filter((id) => !known.has(id)).length;
  return {
    seed: options.seed,
    events: committed.length,
    per_second: written.perSecond,
    rolled_back: written.rolledBack,
    killed: written.killed,
    longest_held_ms: written.longestHeldMs,
    readers: results.map(({ broken: _, ...result }) => result),
    broken: [
      ...results.flatMap(({ broken }) => broken),
      ...(lost > 0 ? [`${lost} acknowledged events are missing`] : []),
    ],
  };
}

interface CommittedEvent {
  readonly id: string;
  readonly type: string;
  readonly profile: string;
  readonly object: string;
  readonly version: string;
}

type Query = Readonly<Record<string, string>>;

const isSelected = ({ type, profile }: CommittedEvent, query: Query): boolean =>
  (query['type'] ?? type) === type && (query['profile_id'] ?? profile) === profile;

interface ListedEvent {
  readonly id: string;
  readonly sequence: number;
  readonly object: string;
  readonly version: string;
}

/** Lists from `start` on, and ends with the first page after `ended` that has nothing to follow. */
const followAs =
  (name: string, client: RestClient, query: Query) => async (start: string, ended: AbortSignal) => {
    const events: ListedEvent[] = [];
    for (let after = start; ;) {
      // What is written before the end is listed by a page that is requested after it.
      const wasEnded = ended.aborted;
      const wait = wasEnded ? 1 : WAIT_SECONDS;
      const page = await client.expect(200, 'GET', '/events', {
        query: { ...query, after, wait, limit: 100 },
      });
      for (const { id, sequence, data } of asObjects(page['data'])) {
        const { post_id: object, scheduled_at: version } = asObject(data);
        events.push({
          id: asText(id),
          sequence: Number(sequence),
          object: asText(object),
          version: asText(version),
        });
      }
      after = asText(page['after']);
      if (wasEnded && asObjects(page['data']).length === 0 && page['has_more'] === false)
        return { name, query, events };
    }
  };

async function writeEvents(
  pool: pg.Pool,
  { events, perSecond, heldMaxMs, seed, log }: EventChaosOptions,
  workspaceId: WorkspaceId,
  profiles: readonly ProfileId[],
) {
  const random = seededRandom(String(seed));
  const ids: string[] = [];
  let [rolledBack, killed, longestHeldMs] = [0, 0, 0];

  async function write(): Promise<void> {
    const isRolledBack = random.chance(ROLLBACK_SHARE);
    const heldMs = random.next() * (random.chance(SLOW_SHARE) ? heldMaxMs : QUICK_MAX_MS);
    const object = random.int(1, OBJECTS);
    const [type, profileId] = [random.pick(['post.published', 'post.updated']), random.pick(profiles)];
    const id = formatId('evt', Date.now(), randomBytes(10));
    const connection = await pool.connect();
    try {
      await connection.query('BEGIN');
      // As every change does, it locks its object before its event is numbered.
      const { rows } = await connection.query<ObjectVersion>(
        'UPDATE chaos_objects SET version = version + 1 WHERE id = $1 RETURNING id AS object, version',
        [object],
      );
      const data = {
        post_id: `pst_chaos_${object}`,
        status: 'draft',
        scheduled_at: new Date(rows[0]?.version ?? 0).toISOString(),
        deliveries: [],
      };
      const { text, values } = insertEvents([{ id, workspaceId, type, profileId, data }]);
      await connection.query(text, values);
      const beganMs = Date.now();
      await sleep(heldMs);
      await connection.query(isRolledBack ? 'ROLLBACK' : 'COMMIT');
      longestHeldMs = Math.max(longestHeldMs, Date.now() - beganMs);
      if (isRolledBack) rolledBack += 1;
      else ids.push(id);
      connection.release();
    } catch {
      // Its connection was ended, before the commit or with an unknown outcome.
      connection.release(true);
    }
  }

  const ending = new AbortController();
  const killing = (async () => {
    while (!ending.signal.aborted) {
      await sleep(KILL_EVERY_MS);
      const { rowCount } = await pool.query(
        `SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity
         WHERE application_name = 'event_writer' AND state = 'idle in transaction' ORDER BY random() LIMIT 1) AS one`,
      );
      killed += rowCount ?? 0;
    }
  })();

  const startMs = performance.now();
  let begun = 0;
  const worker = async () => {
    while (ids.length < events) {
      // Not earlier than its turn: the rate is a maximum.
      const dueMs = startMs + (begun++ * 1000) / perSecond;
      await sleep(Math.max(0, dueMs - performance.now()));
      await write();
      if (ids.length > 0 && ids.length % 10_000 === 0) log(`${ids.length} of ${events} events`);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, worker));
  const seconds = (performance.now() - startMs) / 1000;
  ending.abort();
  await killing;
  return {
    ids,
    rolledBack,
    killed,
    longestHeldMs,
    acknowledged: ids.length,
    perSecond: Math.round(ids.length / seconds),
  };
}

function compareLists(name: string, listed: readonly ListedEvent[], expected: readonly CommittedEvent[]) {
  const seen = new Set(listed.map(({ id }) => id));
  const committed = new Set(expected.map(({ id }) => id));
  const skipped = expected.filter(({ id }) => !seen.has(id)).length;
  const invented = [...seen].filter((id) => !committed.has(id)).length;
  const duplicated = listed.length - seen.size;
  const versions = new Map<string, string>();
  let disordered = 0;
  let last = 0;
  for (const { object, version, sequence } of listed) {
    if (sequence <= last || version <= (versions.get(object) ?? '')) disordered += 1;
    versions.set(object, version);
    last = sequence;
  }
  const counts = { skipped, duplicated, invented, disordered };
  const broken = Object.entries(counts).flatMap(([what, count]) =>
    count > 0 ? [`${name}: ${count} events are ${what}`] : [],
  );
  return { name, listed: listed.length, ...counts, broken };
}
