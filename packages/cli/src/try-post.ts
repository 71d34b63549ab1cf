import { ok, refuse, type Call, type Result } from '@switchboard/domain';
import type { Connection } from '@switchboard/domain/connections';
import { deliver } from '@switchboard/domain/deliveries';
import { createPost, getPost, type Post } from '@switchboard/domain/posts';
import { presentResult } from './present-result.js';
import { runAtomically, operatorCall } from './operator.js';
import { commandOutput, type CommandResult } from './command-result.js';
import type { CommandContext } from './with-service.js';

const MAX_POLLS = 60;
const POLL_MS = 500;

/** Publishes a text on one account immediately, as a worker would. */
export async function tryPost(
  context: CommandContext,
  { id, platform, profileId, workspaceId }: Connection,
  text: string,
  allowDuplicate: boolean,
): Promise<CommandResult> {
  const { ports } = context.service;
  if (!ports.platforms.find(platform)?.publishing) {
    return refuse('platform.not_found', `${platform} does not publish posts.`);
  }
  const call = operatorCall(context, workspaceId);
  const targets = [{ connectionId: id }];
  const created = await runAtomically(
    context,
    call,
    'createPost',
    (tx) => createPost(tx, call, { profileId, text, targets, allowDuplicate }),
    (post) => post.id,
  );
  if (!created.ok) {
    const isDuplicate = created.failure.code === 'post.possible_duplicate';
    return isDuplicate
      ? refuse(
          'post.possible_duplicate',
          'The same text was sent to this account within a day. Use --allow-duplicate to publish it anyway.',
        )
      : created;
  }
  for (const delivery of created.value.deliveries) {
    await deliver(ports, { workspaceId, deliveryId: delivery.id }, context.signal);
  }
  const post = await waitForAttempts(context, call, created.value);
  if (!post.ok) return post;
  const { json, sentence } = presentResult(context, call, 'getPost', post.value);
  const details = post.value.deliveries.flatMap(({ url, error }) => [
    ...(url === null ? [] : [url]),
    ...(error
      ? [error.message, ...(error.platform ? [`${error.platform.name}: ${error.platform.message}`] : [])]
      : []),
  ]);
  const published = post.value.deliveries.every(({ status }) => status === 'published');
  return commandOutput(json, [sentence, ...details].join('\n'), !published);
}

/**
 * A running worker may have been faster; then this waits for it. A delivery that is retried later is not
 * waited for.
 */
async function waitForAttempts(context: CommandContext, call: Call, { id }: Post): Promise<Result<Post>> {
  const { ports } = context.service;
  for (let look = 1; ; look++) {
    const post = await getPost(ports, call, { id });
    if (!post.ok) return post;
    const isInProgress = post.value.deliveries.some(
      ({ status }) => status === 'pending' || status === 'sending',
    );
    if (!isInProgress || look >= MAX_POLLS || call.signal.aborted) return ok(post.value);
    await ports.clock.sleep(POLL_MS, call.signal);
  }
}
