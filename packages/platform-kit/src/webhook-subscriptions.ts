import { ok, type Result } from '@switchboard/domain';
import type { PlatformFailureCode, WebhookTarget } from '@switchboard/domain/ports';
import type { AdapterResult } from './platform-client.js';

/** A webhook as a store lists it: one URL for one kind of change. */
export interface WebhookSubscription {
  readonly id: string;
  readonly topic: string;
  readonly url: string;
  /** Whether the store sends it: stores disable webhooks after failures. */
  readonly isActive: boolean;
}

/** The store's operations on them. `remove` also succeeds when there is none with this id. */
export interface WebhookSubscriptions {
  list(): AdapterResult<readonly WebhookSubscription[]>;
  create(topic: string): AdapterResult<string>;
  remove(id: string): AdapterResult<undefined>;
}

/**
 * Makes the store have exactly one active subscription of each topic for the URL, and none of ours for another URL.
 * Returns their ids.
 */
export async function ensureSubscriptions(
  store: WebhookSubscriptions,
  topics: readonly string[],
  target: WebhookTarget,
): AdapterResult<Pick<WebhookTarget, 'externalIds'>> {
  const listed = await store.list();
  if (!listed.ok) return listed;
  const kept = new Map<string, string>();
  for (const one of listed.value.filter((each) => isOurs(each, target))) {
    if (one.url === target.url && one.isActive && topics.includes(one.topic) && !kept.has(one.topic)) {
      kept.set(one.topic, one.id);
      continue;
    }
    const removed = await store.remove(one.id);
    if (!removed.ok) return removed;
  }
  for (const topic of topics.filter((each) => !kept.has(each))) {
    const created = await store.create(topic);
    if (!created.ok) return created;
    kept.set(topic, created.value);
  }
  return ok({ externalIds: [...kept.values()] });
}

export async function removeSubscriptions(
  store: Omit<WebhookSubscriptions, 'create'>,
  target: WebhookTarget,
): Promise<Result<undefined, PlatformFailureCode>> {
  const listed = await store.list();
  if (!listed.ok) return listed;
  for (const { id } of listed.value.filter((each) => isOurs(each, target))) {
    const removed = await store.remove(id);
    if (!removed.ok) return removed;
  }
  return ok();
}

const isOurs = ({ id, url }: WebhookSubscription, target: WebhookTarget): boolean =>
  url === target.url || target.externalIds.includes(id);
