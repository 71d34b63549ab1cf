import type { Connection } from '../connections/connection.js';
import type { Problem } from '../failure.js';
import type { ProblemCode } from '../reason-codes.js';
import type { Manifest, ReadPorts } from '../ports/index.js';
import { sumOfPrices, type Price } from '../price.js';
import { checkContent, type PublishTarget } from './check-content.js';
import { checkOptions } from './check-options.js';
import type { MediaLookup } from './resolve-media.js';
import { resolveContents, type ResolvedContent } from './resolve-contents.js';
import type { DraftPost } from './draft-post.js';
import type { PostTargets } from './find-targets.js';
import type { PartContent } from './post.js';

/** One target as it would be published, with all of its problems. Paths refer to the caller's request. */
export interface CheckedTarget {
  readonly connection: Connection;
  readonly contents: readonly ResolvedContent[];
  readonly options: Readonly<Record<string, unknown>>;
  /** The text of the post itself; thread items have texts of their own. */
  readonly finalText: string;
  readonly text: { readonly used: number; readonly max: number; readonly unit: string } | null;
  /** The total of all its parts, by the platform's price list; null where the platform charges nothing. */
  readonly cost: Price | null;
  readonly problems: readonly Problem[];
  readonly warnings: readonly Problem[];
}

/**
 * Performs all checks that are possible before sending, for all targets at once. Pure: no platform is
 * queried.
 */
export function checkTargets(
  ports: Pick<ReadPorts, 'manifests' | 'mediaLinks'>,
  post: DraftPost,
  { targets }: PostTargets,
  chosen: MediaLookup,
  scheduled: readonly boolean[],
): readonly CheckedTarget[] {
  const isPublic = ports.mediaLinks.isPublic();
  return targets.map(({ connection, target }, index) => {
    const isScheduled = scheduled[index] ?? false;
    const manifest = ports.manifests.find(connection.platform);
    const rules = ports.manifests.findRules(connection.platform);
    const contents = resolveContents(post, target, chosen);
    const options = target.options ?? {};
    const basePath = targetPath(post, index);
    if (!manifest || !rules) {
      const message = `${connection.platform} does not support publishing.`;
      const problems: Problem[] = [{ path: basePath, code: 'platform.unsupported', message }];
      const [{ text: finalText }] = contents;
      return { connection, contents, options, finalText, text: null, cost: null, problems, warnings: [] };
    }

    const publishTarget: PublishTarget = { manifest, rules, account: connection.account, options, isPublic };
    const pathsOf = createPathResolver(target, basePath);
    const checked = contents.map((content, at) => checkContent(publishTarget, content, pathsOf(at, content)));
    const reauthProblems: Problem[] =
      connection.status === 'needs_reauth'
        ? [
            {
              path: basePath,
              code: 'connection.needs_reauth',
              message: `The ${manifest.name} account must be reconnected${isScheduled ? ' before the post is due' : ''}.`,
            },
          ]
        : [];
    const problems = [
      ...checked.flatMap((one) => one.problems),
      ...checkReplies(publishTarget.manifest, connection, contents),
      ...checkOptions(manifest, options, basePath),
    ];
    const [first] = checked;
    return {
      connection,
      contents,
      options,
      finalText: first?.finalText ?? '',
      text: first?.text ?? null,
      cost: sumOfPrices(checked.map((one) => one.cost)),
      problems: isScheduled ? problems : [...problems, ...reauthProblems],
      warnings: [...checked.flatMap((one) => one.warnings), ...(isScheduled ? reauthProblems : [])],
    };
  });
}

/** The path of a target in the caller's request. */
export const targetPath = ({ targets }: Pick<DraftPost, 'targets'>, index: number): string =>
  Array.isArray(targets) ? `targets.${index}` : 'targets';

/**
 * The path of a problem in the caller's request: in the target where the target overrides the field, else in
 * the post.
 */
const createPathResolver =
  (target: PostTargets['targets'][number]['target'], basePath: string) =>
  (at: number, { kind }: PartContent) =>
  (path: string): string => {
    if (kind === 'comment') return `first_comment.${path}`;
    if (kind === 'thread') return `thread.${at - 1}.${path}`;
    const [field = ''] = path.split('.');
    const isShared = field === 'text' || field === 'link' || field === 'media';
    if (isShared && target[field] === undefined) return path;
    // An implicit target has no fields in the caller's request.
    return basePath === 'targets' ? basePath : `${basePath}.${path}`;
  };

/** An empty grant list is treated as unknown. */
function checkReplies(
  manifest: Manifest,
  { grantedPermissions: granted }: Pick<Connection, 'grantedPermissions'>,
  contents: readonly PartContent[],
): Problem[] {
  const { replyPermission: needed } = manifest;
  const lacks = needed !== undefined && granted.length > 0 && !granted.includes(needed);
  const has = (kind: PartContent['kind']) => contents.some((content) => content.kind === kind);
  const code: ProblemCode = 'thread.unsupported';
  return [
    ...(lacks && manifest.thread && has('thread')
      ? [{ path: 'thread', code, message: cannotReply(manifest) }]
      : []),
    ...(lacks && manifest.firstComment && has('comment')
      ? [{ path: 'first_comment', code, message: cannotReply(manifest) }]
      : []),
    ...(has('thread') && !manifest.thread
      ? [{ path: 'thread', code, message: `${manifest.name} does not support threads.` }]
      : []),
    ...(has('comment') && !manifest.firstComment
      ? [{ path: 'first_comment', code, message: `${manifest.name} does not support a first comment.` }]
      : []),
  ];
}

const cannotReply = ({ name }: Manifest) =>
  `This connection lacks the permission to reply at ${name}. Reconnect it with another connect method.`;
