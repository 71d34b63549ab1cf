import { type Command, Argument } from 'commander';
import { formatAmount, refuse, ok, type Call, type Result, notFound, parseId } from '@switchboard/domain';
import type { Connection } from '@switchboard/domain/connections';
import {
  createMedia,
  fetchMedia,
  getMedia,
  ReceivedFile,
  storeMedia,
  type CreateMedia,
  type Media,
} from '@switchboard/domain/media';
import { listOrders } from '@switchboard/domain/orders';
import { deliver } from '@switchboard/domain/deliveries';
import type { PublishOption } from '@switchboard/domain/ports';
import { createPost, getPost, type DraftMedia, type Post } from '@switchboard/domain/posts';
import { open } from 'node:fs/promises';
import { collectValues, splitList } from '../options.js';
import { toAction } from '../to-action.js';
import { usageError, commandOutput, type CommandResult } from '../command-result.js';
import { withService, type CommandContext } from '../with-service.js';
import { presentResult } from '../present-result.js';
import { operatorCall, runAtomically } from '../operator.js';
import { table } from '../table.js';
import { findProfile } from '../find-profile.js';
import { findWorkspace } from '../find-workspace.js';

interface Options {
  readonly workspace?: string;
  readonly profile?: string;
  readonly connection?: string;
  readonly allowDuplicate?: boolean;
  readonly title?: string;
  readonly option?: readonly string[];
  readonly media?: readonly string[];
}

export const platformsTry = (platforms: Command) =>
  platforms
    .command('try')
    .description('test a connected account: publish a post, or read the newest orders')
    .argument('<id>', 'the platform')
    .addArgument(new Argument('<what>').choices(['post', 'orders']))
    .argument('[text]', 'text of the post; may be omitted with --media')
    .option('--title <title>', 'title of the post, where the platform has one')
    .option('--option <name=value>', 'publishing option of the platform; repeatable', collectValues)
    .option('--media <file or URL>', 'image, video or document; repeatable', collectValues)
    .option('--workspace <name>', 'id or name; default: the only one')
    .option('--profile <name>', 'id, name or external id; default: the profile of the account')
    .option('--connection <id>', 'required when several accounts of the platform are connected')
    .option('--allow-duplicate', 'publish the same text again')
    .action(
      toAction(async (platform: string, what: string, text: string | undefined, options: Options) => {
        const { title, option, media } = options;
        const hasContent = [text, title, option, media].some((part) => part !== undefined);
        if (what === 'post' && text === undefined && media === undefined)
          return usageError('The text is missing. Use: try <id> post "text", or --media.');
        if (what === 'orders' && hasContent)
          return usageError('try <id> orders accepts no text, --title, --option or --media.');
        return withService(async (context) => {
          const account = await findAccount(context, { platform, ...options });
          if (!account.ok) return account;
          return what === 'orders'
            ? tryOrders(context, account.value)
            : tryPost(context, account.value, text, options);
        });
      }),
    );

const NEWEST = 10;

/** Reads the newest orders of one store. */
async function tryOrders(
  context: CommandContext,
  { id, platform, workspaceId }: Connection,
): Promise<CommandResult> {
  const { ports } = context.service;
  if (!ports.platforms.find(platform)?.orders) {
    return refuse('platform.not_found', `${platform} has no orders.`);
  }
  const call = operatorCall(context, workspaceId);
  const listed = await listOrders(ports, call, { connectionId: id, sort: '-created_at', limit: NEWEST });
  if (!listed.ok) return listed;
  const rows = listed.value.items.map(({ order }) => [
    order.number,
    order.status,
    order.paymentStatus,
    `${formatAmount(order.totals.total)} ${order.currency}`,
    order.createdAt.toISOString(),
  ]);
  return commandOutput(
    presentResult(context, call, 'listOrders', listed.value).json,
    table(['number', 'status', 'payment', 'total', 'created'], rows, 'The store has no orders.'),
  );
}

const MAX_POLLS = 60;
const POLL_MS = 500;

/** Publishes a text on one account immediately, as a worker would. */
async function tryPost(
  context: CommandContext,
  { id, platform, profileId, workspaceId }: Connection,
  text: string | undefined,
  { allowDuplicate = false, title, option = [], media: sources = [] }: Options,
): Promise<CommandResult> {
  const { ports } = context.service;
  if (!ports.platforms.find(platform)?.publishing) {
    return refuse('platform.not_found', `${platform} does not publish posts.`);
  }
  const call = operatorCall(context, workspaceId);
  const options = readOptions(ports.manifests.find(platform)?.options ?? [], option);
  if (!options.ok) return options;
  const media: DraftMedia[] = [];
  for (const source of sources) {
    const created = await createMediaFrom(context, call, source);
    if (!created.ok) return created;
    media.push({ mediaId: created.value.id });
  }
  const targets = [{ connectionId: id, title, options: options.value }];
  const created = await runAtomically(context, call, 'createPost', (tx) =>
    createPost(tx, call, { profileId, text, media, targets, allowDuplicate }),
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

/** Values of `--option`, as the type that the platform's manifest states. */
function readOptions(
  known: readonly PublishOption[],
  given: readonly string[],
): Result<Record<string, unknown>> {
  const options: Record<string, unknown> = {};
  for (const text of given) {
    const equals = text.indexOf('=');
    if (equals < 1) return usageError(`--option ${text} has no value: use --option name=value.`);
    const [name, value] = [text.slice(0, equals), text.slice(equals + 1)];
    const type = known.find((one) => one.name === name)?.type;
    if (type === 'boolean' && !/^(true|false)$/.test(value))
      return usageError(`--option ${name} takes true or false.`);
    if (type === 'boolean') options[name] = value === 'true';
    else options[name] = type === 'string_list' ? splitList(value) : value;
  }
  return ok(options);
}

/** Uploads a file of this machine, or downloads a URL immediately, as a worker would. */
async function createMediaFrom(context: CommandContext, call: Call, source: string): Promise<Result<Media>> {
  const { ports } = context.service;
  const { workspaceId } = call;
  const create = (command: CreateMedia) =>
    runAtomically(context, call, 'createMedia', (tx) => createMedia(tx, call, command));
  if (/^https?:/i.test(source)) {
    const created = await create({ url: source });
    if (!created.ok) return created;
    await fetchMedia(ports, { workspaceId, mediaId: created.value.id }, context.signal);
    const fetched = await getMedia(ports, call, { id: created.value.id });
    return fetched.ok && fetched.value.error
      ? refuse('request.invalid', `${source}: ${fetched.value.error.message}`)
      : fetched;
  }
  const file = await open(source).catch((error: NodeJS.ErrnoException) => error);
  if (file instanceof Error) return usageError(`${source} cannot be read (${file.code ?? file.message}).`);
  const stored = await storeMedia(ports, file.createReadStream(), { workspaceId });
  return stored.ok ? create({ file: new ReceivedFile(stored.value) }) : stored;
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

/** The connected account of a platform for a command; when there are several, one must be named. */
async function findAccount(
  context: CommandContext,
  selector: Options & { readonly platform: string },
): Promise<Result<Connection>> {
  const { platform } = selector;
  const { ports } = context.service;
  if (!ports.manifests.find(platform))
    return refuse('platform.not_found', `Unknown platform ${platform}. See \`switchboard platforms list\`.`);
  const workspace = await findWorkspace(context, selector.workspace);
  if (!workspace.ok) return workspace;
  const profile =
    selector.profile === undefined ? null : await findProfile(context, workspace.value.id, selector.profile);
  if (profile && !profile.ok) return profile;
  const id = selector.connection === undefined ? undefined : parseId('con', selector.connection);
  if (id === null) return notFound('connection');
  const matches = await ports.connections.listAll(workspace.value.id, {
    reach: null,
    platforms: [platform],
    profileId: profile?.value.id,
    ids: id && [id],
  });
  const [only, ...others] = matches;
  if (!only) {
    return refuse(
      'connection.not_found',
      `No such account of ${platform} is connected. Run \`switchboard connect ${platform}\` to connect one.`,
    );
  }
  const names = matches.map(
    (one) => `${one.id} (${one.account.username ?? one.account.name ?? one.account.id})`,
  );
  return others.length === 0 ? ok(only) : usageError(`Name one with --connection: ${names.join(', ')}.`);
}
