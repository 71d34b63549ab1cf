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
import { listedSince, onlyOne, type ListedPage } from './look-back.js';
import { untilReady } from './until-ready.js';

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

  const finished = (key: string, id: string): Answer<undefined> =>
    untilReady(session, {
      name: way.name,
      pausesMs: [0, ...pausesMs],
      async look() {
        const seen = await way.look(id);
        if (!seen.ok) return seen;
        if (seen.value?.state === 'FINISHED') return ok('ready');
        if (seen.value?.state === 'PUBLISHED') return publishedBefore(way);
        if (seen.value?.state === 'IN_PROGRESS') return ok('processing');
        // Whoever tries again begins with the file.
        await keep(key, '');
        return seen.value?.state === 'ERROR' ? failed(way, seen.value) : ok(null);
      },
    });

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

function failed({ name }: ContainerWay, { why }: ContainerSeen): Result<never, PlatformFailureCode> {
  const platform = quotePlatform(name, why ?? 'ERROR');
  return refuse(
    'platform.refused',
    `${name} could make nothing of the media. Its own words are quoted beside.`,
    {
      platform,
    },
  );
}

/** A post of the account, as its list shows it. */
interface ListedPost {
  readonly timestamp: string;
}

export interface ContainerSearch<One extends ListedPost> {
  /** Without words one is like another, and what is listed proves nothing. */
  readonly hasWords: boolean;
  readonly pagesMax: number;
  readonly page: (next: string | undefined, since: Date) => Answer<ListedPage<One>>;
  readonly isItem: (one: One) => boolean;
}

/** The account's post that is this item. Its container says whether it is out, and the account's own list which one it is. */
export async function findByContainer<One extends ListedPost>(
  way: ContainerWay,
  item: PublishItem,
  { hasWords, pagesMax, page, isItem }: ContainerSearch<One>,
): Answer<One | null> {
  const id = item.receipt[CONTAINER] ?? '';
  // Nothing is published without one, and it is remembered before.
  if (id === '') return ok(null);
  const seen = await way.look(id);
  if (!seen.ok) return seen;
  const state = seen.value?.state;
  if (state === 'IN_PROGRESS') {
    return refuse('platform.unavailable', `${way.name} has not decided yet what becomes of this post.`);
  }
  const isOut = state === 'PUBLISHED';
  const isGone = state === undefined;
  // Meta says that it is not out, and one without words that is listed says nothing against it.
  if (!isOut && !isGone && !hasWords) return ok(null);
  const order = { pagesMax, newestFirst: true, madeAt: (one: One) => one.timestamp };
  const recent = await listedSince(item, page, order);
  if (!recent.ok) return recent;
  const same = recent.value.filter(isItem);
  if (isOut && same.length === 0) {
    return refuse('platform.unavailable', `${way.name} has published this and does not list it yet.`);
  }
  const isTold = isOut || (isGone && hasWords);
  if (isTold && same.length > 0) return onlyOne(same);
  // What says that it is not out may lag behind, and what is listed may be another with the same words.
  return isGone || same.length > 0
    ? refuse('platform.outcome_unknown', `Nobody can tell whether this is out at ${way.name}.`)
    : ok(null);
}
