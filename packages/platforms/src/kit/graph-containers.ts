import { setTimeout as pause } from 'node:timers/promises';
import {
  ok,
  quotePlatform,
  refuse,
  type PlatformFailureCode,
  type PublishItem,
  type Remember,
  type Result,
  type Session,
} from '@switchboard/domain';
import type { Answer } from './answers.js';
import { z } from 'zod';
import { askGraph } from './graph.js';

export type ContainerFields = Readonly<Record<string, string>>;

/** How far Meta is with fetching what belongs to a post. Nobody sees a container; after a day it is gone. */
export interface ContainerSeen {
  readonly state: 'EXPIRED' | 'ERROR' | 'FINISHED' | 'IN_PROGRESS' | 'PUBLISHED';
  /** Why nothing came of it. */
  readonly why?: string | undefined;
}

/** What Instagram and Threads say differently. */
export interface ContainerWay {
  readonly name: string;
  readonly createPath: string;
  readonly publishPath: string;
  look(id: string): Answer<ContainerSeen | null>;
}

/** What is to be published: by itself, or with children that have to be there first. */
export interface ContainerPlan {
  readonly children: readonly ContainerFields[];
  whole(childIds: readonly string[]): ContainerFields;
}

/** Between two looks at what is being fetched. What takes longer than all of them is left to a later attempt, which knows it by its id. */
const PAUSES_MS: readonly number[] = [500, 1_500, 3_000, ...Array<number>(11).fill(5_000)];
const LATER_SECONDS = 60;
export const CONTAINER = 'container';
const childKey = (at: number) => `child_${at}`;

/** What is said of a container that is not ready after all, or not any more: nothing is published then. */
const NOT_READY = new Set([2_207_008, 2_207_020, 2_207_027, 4_279_009]);

const made = z.object({ id: z.string().regex(/^\w+$/) });

/** Publishes the item through containers and answers its id. Those that an earlier attempt remembered are taken up again. */
export async function publishContainer(
  session: Session,
  way: ContainerWay,
  plan: ContainerPlan,
  item: Pick<PublishItem, 'receipt'>,
  remember: Remember,
  pausesMs = PAUSES_MS,
): Answer<string> {
  let receipt = item.receipt;
  const keep = (key: string, id: string) => remember((receipt = { ...receipt, [key]: id }));

  /** Remembered, and something may still become of it. */
  async function stillThere(key: string): Answer<string | null> {
    const id = receipt[key] ?? '';
    const seen = id === '' ? ok(null) : await way.look(id);
    return seen.ok ? ok(seen.value && seen.value.state !== 'EXPIRED' ? id : null) : seen;
  }

  async function create(key: string, fields: ContainerFields): Answer<string> {
    const request = { method: 'POST', path: way.createPath, form: fields, effect: 'idempotent' } as const;
    const created = await askGraph(session, way.name, request, made);
    if (!created.ok) return created;
    await keep(key, created.value.id);
    return ok(created.value.id);
  }

  async function finished(key: string, id: string): Answer<undefined> {
    for (const ms of [0, ...pausesMs]) {
      // Being called off ends the pause; the look after it says so.
      if (ms > 0) await pause(ms, undefined, { signal: session.signal }).catch(() => undefined);
      const seen = await way.look(id);
      if (!seen.ok) return seen;
      if (seen.value?.state === 'FINISHED') return ok();
      if (seen.value?.state === 'PUBLISHED') return publishedBefore(way);
      if (seen.value?.state === 'IN_PROGRESS') continue;
      // Whoever tries again begins with the file.
      await keep(key, '');
      return failed(way, seen.value);
    }
    const extras = { retryAfterSeconds: LATER_SECONDS };
    return refuse('platform.unavailable', `${way.name} is still fetching the media.`, extras);
  }

  /** The children come first, and are ready before anything is made of them. */
  async function children(): Answer<readonly string[]> {
    const ids: string[] = [];
    for (const [at, fields] of plan.children.entries()) {
      const known = await stillThere(childKey(at));
      if (!known.ok) return known;
      const child = known.value === null ? await create(childKey(at), fields) : ok(known.value);
      if (!child.ok) return child;
      ids.push(child.value);
    }
    for (const [at, id] of ids.entries()) {
      const ready = await finished(childKey(at), id);
      if (!ready.ok) return ready;
    }
    return ok(ids);
  }

  const known = await stillThere(CONTAINER);
  if (!known.ok) return known;
  const ids = known.value === null ? await children() : ok([]);
  if (!ids.ok) return ids;
  const whole = known.value === null ? await create(CONTAINER, plan.whole(ids.value)) : ok(known.value);
  if (!whole.ok) return whole;
  const ready = await finished(CONTAINER, whole.value);
  if (!ready.ok) return ready;
  const form = { creation_id: whole.value };
  const publish = { method: 'POST', path: way.publishPath, form, effect: 'write' } as const;
  const published = await askGraph(session, way.name, publish, made, ({ subcode }) =>
    NOT_READY.has(subcode ?? 0) ? notReady(way) : undefined,
  );
  return published.ok ? ok(published.value.id) : published;
}

const notReady = ({ name }: ContainerWay) =>
  refuse('platform.unavailable', `${name} is not ready to publish this yet.`, {
    retryAfterSeconds: LATER_SECONDS,
  });

/** An earlier attempt got through after all: which post it is has to be looked up. */
const publishedBefore = ({ name }: ContainerWay) =>
  refuse('platform.outcome_unknown', `${name} has published this already.`);

function failed({ name }: ContainerWay, seen: ContainerSeen | null): Result<never, PlatformFailureCode> {
  if (seen?.state !== 'ERROR')
    return refuse('platform.unavailable', `${name} lost what was to be published.`);
  const platform = quotePlatform(name, seen.why ?? 'ERROR');
  return refuse(
    'platform.refused',
    `${name} could make nothing of the media. Its own words are quoted beside.`,
    {
      platform,
    },
  );
}

/**
 * What the container of an attempt in doubt says of it. `published`: it is out, whatever the lists show by now. Nothing is
 * published without one. `unknown`: there was one, and it is gone.
 */
export async function outcomeOf(
  way: ContainerWay,
  { receipt }: Pick<PublishItem, 'receipt'>,
): Answer<'published' | 'not_published' | 'in_progress' | 'unknown'> {
  const id = receipt[CONTAINER] ?? '';
  if (id === '') return ok('not_published');
  const seen = await way.look(id);
  if (!seen.ok) return seen;
  switch (seen.value?.state) {
    case 'PUBLISHED':
      return ok('published');
    case 'IN_PROGRESS':
      return ok('in_progress');
    case undefined:
      return ok('unknown');
    default:
      return ok('not_published');
  }
}
