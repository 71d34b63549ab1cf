import {
  createPost,
  deliver,
  getPost,
  ok,
  refuse,
  type Call,
  type Connection,
  type Post,
  type Result,
} from '@switchboard/domain';
import { shown } from './operation.js';
import { atomically, operatorCall } from './operator.js';
import { answer, type Outcome } from './outcome.js';
import type { Desk } from './with-service.js';

const LOOKS = 60;
const LOOK_MS = 500;

/** Publishes a text on one account, here and now, as a worker would. */
export async function tryPost(
  desk: Desk,
  { id, platform, profileId, workspaceId }: Connection,
  text: string,
  allowDuplicate: boolean,
): Promise<Outcome> {
  const { ports } = desk.service;
  if (!ports.platforms.find(platform)?.publishing) {
    return refuse('platform.not_found', `${platform} does not publish posts.`);
  }
  const call = operatorCall(desk, workspaceId);
  const targets = [{ connectionId: id }];
  const created = await atomically(
    desk,
    call,
    'createPost',
    (tx) => createPost(tx, call, { profileId, text, targets, allowDuplicate }),
    (post) => post.id,
  );
  if (!created.ok) {
    const again = created.failure.code === 'post.possible_duplicate';
    return again
      ? refuse(
          'post.possible_duplicate',
          'The same text went to this account within a day. Say --allow-duplicate if that is meant.',
        )
      : created;
  }
  for (const delivery of created.value.deliveries) {
    await deliver(ports, { workspaceId, deliveryId: delivery.id }, desk.signal);
  }
  const post = await onceTried(desk, call, created.value);
  if (!post.ok) return post;
  const { json, sentence } = shown(desk, call, 'getPost', post.value);
  const details = post.value.deliveries.flatMap(({ url, error }) => [
    ...(url === null ? [] : [url]),
    ...(error
      ? [error.message, ...(error.platform ? [`${error.platform.name}: ${error.platform.message}`] : [])]
      : []),
  ]);
  const published = post.value.deliveries.every(({ status }) => status === 'published');
  return answer(json, [sentence, ...details].join('\n'), !published);
}

/** A worker that runs may have been quicker; then it is waited for. What is tried again later is not. */
async function onceTried(desk: Desk, call: Call, { id }: Post): Promise<Result<Post>> {
  const { ports } = desk.service;
  for (let look = 1; ; look++) {
    const post = await getPost(ports, call, { id });
    if (!post.ok) return post;
    const underWay = post.value.deliveries.some(({ status }) => status === 'pending' || status === 'sending');
    if (!underWay || look >= LOOKS || call.signal.aborted) return ok(post.value);
    await ports.clock.sleep(LOOK_MS, call.signal);
  }
}
