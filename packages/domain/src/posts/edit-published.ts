import { findPostApprovalContext } from '../approvals/post-approval.js';
import { actorName, type Call } from '../call.js';
import { canonicalJson } from '../canonical-json.js';
import type { Connection } from '../connections/connection.js';
import type { Delivery, DeliveryPart, PartEdit } from '../deliveries/delivery.js';
import { recordDecision } from '../deliveries/record-decision.js';
import { refuse, type Problem } from '../failure.js';
import { nextCall } from '../next-call.js';
import type { AtomicPorts, Manifest, PartDraft, PublishingRules } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { checkContent } from './check-content.js';
import { contentDigest } from './compose-deliveries.js';
import { planEdit, type PlannedEdit } from './plan-edit.js';
import { getPost } from './get-post.js';
import { lockContents, refuseDuplicates } from './guard-duplicates.js';
import { postEvent } from './post-event.js';
import type { PartContent, Post } from './post.js';
import type { ResolvedContent } from './resolve-contents.js';
import { updatePost, type UpdatePorts, type UpdatePost, type UpdatePostFailure } from './update-post.js';

type EditPorts = Pick<
  AtomicPorts,
  | 'approvals'
  | 'apiKeys'
  | 'connections'
  | 'deliveries'
  | 'events'
  | 'jobs'
  | 'manifests'
  | 'media'
  | 'posts'
  | 'tokens'
  | 'clock'
  | 'ids'
>;

type EditFailure =
  | 'approval.required'
  | 'connection.not_found'
  | 'post.outcome_unknown'
  | 'post.edit_unsupported'
  | 'post.invalid'
  | 'post.possible_duplicate'
  | 'post.target_ambiguous';

export type EditPost = UpdatePost & { readonly editPublished?: boolean | undefined };

/** Updates a post, or what is published of it where the caller requests that. */
export async function editPost(
  ports: UpdatePorts & EditPorts,
  call: Call,
  { editPublished: isRequested = false, ...command }: EditPost,
): Promise<Result<Post, UpdatePostFailure | EditFailure>> {
  const updated = await updatePost(ports, call, command);
  if (!isRequested || updated.ok || updated.failure.code !== 'post.already_published') return updated;
  // It is locked since then.
  const found = await getPost(ports, call, command);
  return found.ok ? editPublished(ports, call, found.value, command) : found;
}

/**
 * Edits what is published. The new content is stored with the deliveries before anything is sent, and the worker sends
 * it. All of them are checked first: one that cannot be edited refuses the edit as a whole. The post is locked.
 */
async function editPublished(
  ports: EditPorts,
  call: Call,
  before: Post,
  { allowDuplicate, ...changes }: Omit<UpdatePost, 'id'>,
): Promise<Result<Post, EditFailure>> {
  const next = nextCall.getPost(before.id);
  const planned = planEdit(before, changes);
  if (!planned.ok) return planned;
  const { post, deliveries } = planned.value;
  const isInProgress = deliveries.some(({ delivery }) => inProgressStatuses.includes(delivery.status));
  if (isInProgress) return refuse('post.outcome_unknown', STILL_PUBLISHING, { next });
  const checked: CheckedEdit[] = [];
  for (const one of deliveries) checked.push(await checkDelivery(ports, before, one));
  const problems = checked.flatMap((one) => one.problems);
  if (problems.length > 0) {
    const messages = problems.map(({ message }) => message).slice(0, 3);
    const isUnsupported = problems.some(({ code }) => code === 'post.edit_unsupported');
    const code = isUnsupported ? 'post.edit_unsupported' : 'post.invalid';
    return refuse(code, messages.join(' '), { problems, next: nextStep(problems, deliveries) ?? next });
  }
  // An edit that restores what is published ends another one of which nothing was sent.
  const changed = checked.filter(({ delivery, parts }) => parts.length > 0 || delivery.edit !== null);
  const isSame = changed.every(({ delivery, parts }) => isUnderWay(delivery, parts));
  if (isSame && canonicalJson(toRequest(post)) === canonicalJson(toRequest(before))) return ok(before);
  if (!isSame && changed.some(({ delivery }) => isBeingSent(ports, delivery))) {
    return refuse('post.outcome_unknown', ANOTHER_EDIT, { next });
  }
  const { requirement } = await findPostApprovalContext(ports, call, before);
  if (requirement !== null && !isSame) return refuse('approval.required', NEEDS_APPROVAL, { next });
  if (!allowDuplicate && !isSame) {
    const contents = changed.map(({ delivery, digest }) => ({ ...delivery, contentDigest: digest }));
    await lockContents(ports, contents);
    const unique = await refuseDuplicates(ports, call, contents, ports.clock.now());
    if (!unique.ok) return unique;
  }
  const now = ports.clock.now();
  const edited = isSame ? [] : changed;
  await ports.posts.rewrite({
    ...post,
    updatedAt: now,
    deliveries: before.deliveries.map((delivery) => {
      const change = edited.find((one) => one.delivery.id === delivery.id);
      return change ? withChange(change, actorName(call), now) : delivery;
    }),
  });
  for (const { delivery } of edited) await recordDecision(ports, call, delivery, 'edit');
  await ports.jobs.enqueue({ name: 'deliver', workspaceId: before.workspaceId });
  const after = (await ports.posts.find(before.workspaceId, before.id)) ?? post;
  await ports.events.append({ ...postEvent(after, now), type: 'post.updated' });
  return ok(after);
}

const inProgressStatuses: readonly Delivery['status'][] = ['sending', 'retrying', 'unknown', 'needs_review'];

const STILL_PUBLISHING =
  'The post is still being published on some of these accounts. Wait until that is settled, or name the other accounts in targets.';
const ANOTHER_EDIT =
  'Another edit of this post is being made, and its outcome is not known yet. Read the post, and repeat the edit when that has ended.';
const NEEDS_APPROVAL =
  'A person has to approve what this key publishes, and cannot approve a change of what is already published. Unpublish the post and create a new one, which a person can approve.';

/** What is stored of a request: an edit that changes none of it, and no content, is not stored. */
const toRequest = ({ text, link, thread, firstComment, requested, externalId, metadata }: Post) => ({
  text,
  link,
  thread,
  firstComment,
  requested,
  externalId,
  metadata,
});

function nextStep(problems: readonly Problem[], deliveries: readonly PlannedEdit[]) {
  const disconnected = problems.find(({ code }) => code === 'connection.needs_reauth');
  const delivery = deliveries.find(({ path }) => path === disconnected?.path)?.delivery;
  return delivery && nextCall.startConnect({ connection_id: delivery.connectionId });
}

type ChangedPart = Omit<PartEdit, 'sentAt'>;

interface CheckedEdit extends PlannedEdit {
  /** What differs from the published content. */
  readonly parts: readonly ChangedPart[];
  readonly digest: string;
  readonly problems: readonly Problem[];
}

async function checkDelivery(ports: EditPorts, before: Post, planned: PlannedEdit): Promise<CheckedEdit> {
  const { delivery, contents } = planned;
  const uses = await findFiles(ports, delivery);
  const resolved = contents.map((content, at) => ({
    ...content,
    media: (delivery.parts[at]?.media ?? []).map((use) => ({ ...use, file: uses.get(use.mediaId) ?? null })),
  }));
  const parts = contents.flatMap(({ title, text, link }, index) => {
    const part = delivery.parts[index];
    const isDoubtful = delivery.edit?.parts.some((one) => one.index === index && one.sentAt !== undefined);
    return part && (isDoubtful || isChanged(part, { title, text, link }))
      ? [{ index, title, text, link }]
      : [];
  });
  const connection = await ports.connections.find(delivery.workspaceId, delivery.connectionId);
  const obstacles = parts.length === 0 ? [] : findObstacles(ports, before, planned, connection, parts);
  const problems =
    obstacles.length > 0 || !connection ? obstacles : checkParts(ports, planned, connection, parts, resolved);
  return { ...planned, parts, digest: contentDigest(ports, resolved), problems };
}

const isChanged = (part: DeliveryPart, content: Pick<PartEdit, 'title' | 'text' | 'link'>): boolean =>
  part.isTextUncertain === true ||
  part.title !== content.title ||
  part.text !== content.text ||
  part.link !== content.link;

async function findFiles({ media }: Pick<EditPorts, 'media'>, { workspaceId, parts }: Delivery) {
  const ids = [...new Set(parts.flatMap((part) => part.media.map(({ mediaId }) => mediaId)))];
  const found = ids.length === 0 ? [] : await media.findMany(workspaceId, ids);
  return new Map(found.map(({ id, file }) => [id, file]));
}

/** Why this delivery cannot be edited at all, and what to do instead. */
function findObstacles(
  { manifests }: Pick<EditPorts, 'manifests'>,
  { profileId }: Post,
  { delivery, path }: PlannedEdit,
  connection: Connection | null,
  changed: readonly ChangedPart[],
): readonly Problem[] {
  const name = manifests.find(delivery.platform)?.name ?? delivery.platform;
  const { edit, unpublish } = manifests.getAbilities(delivery.platform).publishing ?? {};
  const unsupported = (message: string): readonly Problem[] => [
    { path, code: 'post.edit_unsupported', message },
  ];
  const others = 'Or name in targets only the accounts to edit.';
  if (isUnpublished(delivery)) return [];
  if (delivery.status !== 'published')
    return unsupported(
      `The post is not completely published on ${name}. Retry or unpublish it there. ${others}`,
    );
  if (!edit) {
    const instead = unpublish
      ? 'Unpublish this delivery and create a new post there.'
      : 'Change or delete it at the platform itself.';
    return unsupported(`${name} cannot edit a published post. ${instead} ${others}`);
  }
  if (connection?.profileId !== profileId)
    return [{ path, code: 'connection.not_found', message: `The ${name} account is no longer connected.` }];
  if (connection.status === 'needs_reauth') {
    const message = `The ${name} account must be reconnected before its post can be edited.`;
    return [{ path, code: 'connection.needs_reauth', message }];
  }
  if (delivery.parts[0]?.removedAt !== undefined)
    return unsupported(`The post was removed at ${name}. Create a new post. ${others}`);
  return changed.some(({ index }) => delivery.parts[index]?.externalId == null)
    ? unsupported(`The id of the post at ${name} is not known. Change it at the platform itself. ${others}`)
    : [];
}

/** Nothing of it is published: its content is replaced, and sent when it is due or retried. */
const isUnpublished = ({ status, parts }: Delivery): boolean =>
  status !== 'published' && parts.every((part) => part.status === 'pending');

/** The rules of the platform for the new content, and for the change. */
function checkParts(
  { manifests }: Pick<EditPorts, 'manifests'>,
  { delivery, path }: PlannedEdit,
  { account }: Connection,
  changed: readonly ChangedPart[],
  contents: readonly ResolvedContent[],
): readonly Problem[] {
  const manifest: Manifest | null = manifests.find(delivery.platform);
  const rules: PublishingRules | null = manifests.findRules(delivery.platform);
  if (!manifest || !rules) return [];
  const { options } = delivery;
  // Media stays at the platform, which downloads nothing again.
  const target = { manifest, rules, account, options, isPublic: true };
  return changed.flatMap(({ index }) => {
    const [content, part] = [contents[index], delivery.parts[index]];
    if (!content || !part) return [];
    const pathOf = createPathResolver(part, path);
    const toDraft = ({ kind, title, text, link }: PartContent): PartDraft => ({
      kind,
      title,
      text,
      link,
      options,
      mediaCount: part.media.length,
    });
    return [
      ...checkContent(target, content, pathOf).problems,
      ...(isUnpublished(delivery) ? [] : (rules.checkEdit?.(toDraft(part), toDraft(content)) ?? [])).map(
        (problem) => ({
          ...problem,
          path: pathOf(problem.path),
        }),
      ),
    ];
  });
}

const createPathResolver =
  ({ kind, index }: DeliveryPart, path: string) =>
  (field: string): string => {
    if (kind === 'comment') return `first_comment.${field}`;
    if (kind === 'thread') return `thread.${index - 1}.${field}`;
    return path.startsWith('targets') ? `${path}.${field}` : field;
  };

const contentOf = ({ index, title, text, link }: ChangedPart): ChangedPart => ({ index, title, text, link });

/** Whether exactly this edit is under way: parts that are already changed are no longer in it. */
const isUnderWay = ({ edit }: Delivery, parts: readonly ChangedPart[]): boolean =>
  edit !== null && canonicalJson(edit.parts.map(contentOf)) === canonicalJson(parts.map(contentOf));

/** How long after an attempt its platform may still be processing it. */
const PROCESSED_MS = 10 * 60_000;

const isBeingSent = ({ clock }: Pick<EditPorts, 'clock'>, { edit }: Delivery): boolean =>
  edit?.parts.some(
    ({ sentAt }) => sentAt !== undefined && clock.now().getTime() - Date.parse(sentAt) < PROCESSED_MS,
  ) ?? false;

/** The delivery with its content replaced, or with the edit that the worker makes. */
const withChange = (change: CheckedEdit, requestedBy: string, now: Date): Delivery =>
  isUnpublished(change.delivery) ? withNewContent(change) : withEdit(change, requestedBy, now);

const withNewContent = ({ delivery, parts, digest }: CheckedEdit): Delivery => ({
  ...delivery,
  contentDigest: digest,
  parts: delivery.parts.map((part) => {
    const changed = parts.find(({ index }) => index === part.index);
    return changed ? { ...part, ...contentOf(changed), receipt: {} } : part;
  }),
});

/** An earlier edit that it replaces may have taken effect: what is in doubt stays so until the new one is confirmed. */
function withEdit({ delivery, parts, digest }: CheckedEdit, requestedBy: string, now: Date): Delivery {
  const earlier = delivery.edit?.parts ?? [];
  const sentAtOf = (index: number) => earlier.find((part) => part.index === index)?.sentAt;
  return {
    ...delivery,
    error: null,
    nextAttemptAt: parts.length === 0 ? null : now,
    edit:
      parts.length === 0
        ? null
        : {
            parts: parts.map((part) => {
              const sentAt = sentAtOf(part.index);
              return sentAt === undefined ? part : { ...part, sentAt };
            }),
            contentDigest: digest,
            requestedBy,
            requestedAt: now.toISOString(),
            attempts: 0,
          },
  };
}
