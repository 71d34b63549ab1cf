import {
  ok,
  quotePlatform,
  refuse,
  type PublishItem,
  type SaveReceipt,
  type Session,
} from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { z } from 'zod';
import { requestGraph } from './graph.js';
import { findObject } from './graph-objects.js';
import {
  findRecentPosts,
  resolveSingleMatch,
  type ListedPage,
} from '@switchboard/platform-kit/find-recent-posts';
import { openReceipt } from '@switchboard/platform-kit/part-receipt';
import { resumeUploads, type UploadedFile } from '@switchboard/platform-kit/resumable-uploads';
import type { ProcessingState } from '@switchboard/platform-kit/wait-until-ready';

export type ContainerFields = Readonly<Record<string, string>>;

export const containerState = z.enum(['EXPIRED', 'ERROR', 'FINISHED', 'IN_PROGRESS', 'PUBLISHED']);

/**
 * The processing status of a container at Meta. Containers are not visible to users and expire after a day.
 */
export interface ContainerStatus {
  readonly state: z.infer<typeof containerState>;
  readonly reason?: string | undefined;
}

/** The containers of an account, whose status and reason have different names. */
export const containerApi = (
  session: Session,
  name: string,
  edge: string,
  fields: string,
  status: z.ZodType<ContainerStatus>,
) => ({
  name,
  createPath: `/${encodeURIComponent(session.account.id)}/${edge}`,
  publishPath: `/${encodeURIComponent(session.account.id)}/${edge}_publish`,
  look: (id: string): AdapterResult<ContainerStatus | null> => findObject(session, name, id, fields, status),
});

/** The differences between Instagram and Threads. */
export type ContainerApi = ReturnType<typeof containerApi>;

/** The container to publish: a single one, or a parent whose children have to exist first. */
export interface ContainerPlan {
  readonly children: readonly ContainerFields[];
  whole(childIds: readonly string[]): ContainerFields;
}

/**
 * Delay between two polls of the processing status. Processing that takes longer than all of them is left to
 * a later attempt, which has the container ID.
 */
const POLL_DELAYS_MS: readonly number[] = [500, 1_500, 3_000, ...Array<number>(11).fill(5_000)];
const LATER_SECONDS = 60;
export const CONTAINER = 'container';
const childKey = (at: number) => `child_${at}`;

/** The error codes of a container that is not, or is no longer, ready: nothing is published then. */
const NOT_READY = new Set([2_207_008, 2_207_020, 2_207_027, 4_279_009]);

const createdObject = z.object({ id: z.string().regex(/^\w+$/) });

/** Publishes the item through containers and returns its ID. */
export async function publishContainer(
  session: Session,
  connectMethod: ContainerApi,
  plan: ContainerPlan,
  item: Pick<PublishItem, 'receipt'>,
  saveReceipt: SaveReceipt,
  delaysMs = POLL_DELAYS_MS,
): AdapterResult<string> {
  const { name } = connectMethod;
  const receipt = openReceipt(item, saveReceipt);
  const api = { name, delaysMs: [0, ...delaysMs], look: getUploadState };

  async function getUploadState(id: string): AdapterResult<ProcessingState | null> {
    const seen = await connectMethod.look(id);
    if (!seen.ok || seen.value === null) return seen.ok ? ok(null) : seen;
    const { state, reason } = seen.value;
    if (state === 'PUBLISHED') return alreadyPublished(name);
    if (state === 'ERROR') return ok(containerFailed(name, reason));
    return ok(STATES[state]);
  }

  async function create(fields: ContainerFields): AdapterResult<UploadedFile> {
    const path = connectMethod.createPath;
    const request = { method: 'POST', path, form: fields, effect: 'idempotent' } as const;
    const created = await requestGraph(session, name, request, createdObject);
    return created.ok ? ok({ id: created.value.id, state: 'processing' }) : created;
  }

  /** The children must be ready before the parent is created. */
  async function createWhole(): AdapterResult<UploadedFile> {
    const children = plan.children.map((fields, at) => ({
      key: childKey(at),
      upload: () => create(fields),
    }));
    const ids = await resumeUploads(session, receipt, api, children);
    return ids.ok ? create(plan.whole(ids.value)) : ids;
  }

  const whole = await resumeUploads(session, receipt, api, [{ key: CONTAINER, upload: createWhole }]);
  if (!whole.ok) return whole;
  const form = { creation_id: whole.value[0] ?? '' };
  const publish = { method: 'POST', path: connectMethod.publishPath, form, effect: 'write' } as const;
  const published = await requestGraph(session, name, publish, createdObject, ({ subcode }) =>
    NOT_READY.has(subcode ?? 0) ? notReady(name) : undefined,
  );
  return published.ok ? ok(published.value.id) : published;
}

const STATES = { FINISHED: 'ready', IN_PROGRESS: 'processing', EXPIRED: null } as const;

const notReady = (name: string) =>
  refuse('platform.unavailable', `${name} is not ready to publish this yet.`, {
    retryAfterSeconds: LATER_SECONDS,
  });

/** An earlier attempt succeeded after all: the ID of the post has to be looked up. */
const alreadyPublished = (name: string) =>
  refuse('platform.outcome_unknown', `${name} has already published this post.`);

const containerFailed = (name: string, reason = 'ERROR') =>
  refuse('platform.refused', `${name} could not process the media. See \`platform\` for its error message.`, {
    platform: quotePlatform(name, reason),
  });

interface ListedPost {
  readonly timestamp: string;
}

interface ContainerSearch<One extends ListedPost> {
  /** Posts without text cannot be distinguished, so a listed one proves nothing. */
  readonly hasText: boolean;
  readonly pagesMax: number;
  readonly page: (next: string | undefined, since: Date) => AdapterResult<ListedPage<One>>;
  readonly isItem: (one: One) => boolean;
}

/**
 * The account's post that is this item. Its container states whether it was published, the account's list
 * which post it is.
 */
export async function findByContainer<One extends ListedPost>(
  connectMethod: ContainerApi,
  item: PublishItem,
  { hasText, pagesMax, page, isItem }: ContainerSearch<One>,
): AdapterResult<One | null> {
  const id = item.receipt[CONTAINER] ?? '';
  // Nothing is published without a container, and its ID is stored first.
  if (id === '' && !item.isReceiptOutdated) return ok(null);
  const seen = id === '' ? ok(null) : await connectMethod.look(id);
  if (!seen.ok) return seen;
  // Of an outdated receipt only the proof of publication counts: another container may be published.
  const isProven = !item.isReceiptOutdated || seen.value?.state === 'PUBLISHED';
  const state = isProven ? seen.value?.state : undefined;
  if (state === 'IN_PROGRESS') {
    return refuse('platform.unavailable', `${connectMethod.name} is still processing this post.`);
  }
  const isOut = state === 'PUBLISHED';
  const isGone = state === undefined;
  // Meta reports the container as unpublished, and a listed post without text is no evidence against that.
  if (!isOut && !isGone && !hasText) return ok(null);
  const order = { pagesMax, newestFirst: true, createdAtOf: (one: One) => one.timestamp };
  const recent = await findRecentPosts(item, page, order);
  if (!recent.ok) return recent;
  const same = recent.value.filter(isItem);
  if (isOut && same.length === 0) {
    return refuse(
      'platform.unavailable',
      `${connectMethod.name} has published the post but does not list it yet.`,
    );
  }
  const hasEvidence = isOut || (isGone && hasText);
  if (hasEvidence && same.length > 0) return resolveSingleMatch(same);
  // The text of an item that another installation published is listed long since.
  if (item.isReceiptOutdated && hasText && same.length === 0) return ok(null);
  // The container status may lag behind, and the listed post may be another one with the same text.
  return isGone || same.length > 0
    ? refuse(
        'platform.outcome_unknown',
        `It is unknown whether the post was published at ${connectMethod.name}.`,
      )
    : ok(null);
}
