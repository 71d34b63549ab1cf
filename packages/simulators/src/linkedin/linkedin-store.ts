import { objectStore, type StoredObject } from '../wire/object-store.js';
import type { UploadedFile } from './upload-routes.js';

export interface LinkedInCard {
  readonly source: string;
  readonly title: string;
  readonly description: string;
  readonly thumbnail: UploadedFile | null;
}

export interface LinkedInPost {
  readonly urn: string;
  readonly author: string;
  /** The visible text. */
  readonly shown: string;
  /** The text as the API returns it. */
  readonly commentary: string;
  readonly visibility: string;
  readonly isReshareDisabled: boolean;
  readonly files: readonly (UploadedFile & {
    readonly altText: string | null;
    readonly title: string | null;
  })[];
  readonly card: LinkedInCard | null;
  readonly createdAt: Date;
}

export interface LinkedInComment extends StoredObject {
  readonly urn: string;
  readonly actor: string;
  readonly text: string;
  /** The post that it belongs to, and the activity URN that LinkedIn uses for it in a comment. */
  readonly postUrn: string;
  readonly activityUrn: string;
}

type PublishEnding = 'PUBLISHED' | 'PUBLISH_FAILED';

const FIRST = 7_380_000_000_000_000_001n;
/** The URN of an activity differs from that of its post. */
const ACTIVITY = 900_000_000_001n;

const activityOf = (urn: string) => `urn:li:activity:${BigInt(urn.split(':').at(-1) ?? '0') + ACTIVITY}`;

/** The publication of posts: every author read advances it, and it may end in a failure. */
function publication() {
  const unsettled = new Map<string, { looks: number; readonly ending: PublishEnding }>();
  let [looksUntilPublished, ending]: [number, PublishEnding] = [0, 'PUBLISHED'];
  return {
    begin: (urn: string) => void unsettled.set(urn, { looks: looksUntilPublished, ending }),
    /** Posts created from now on are published after this many author reads, or never. */
    publishingTakes: (polls: number, endsAs: PublishEnding = 'PUBLISHED') =>
      void ([looksUntilPublished, ending] = [polls, endsAs]),
    /** The author's view; every read advances the publication. */
    lookAtState(urn: string): string {
      const one = unsettled.get(urn);
      return one === undefined || one.looks-- <= 0 ? (one?.ending ?? 'PUBLISHED') : 'PUBLISH_REQUESTED';
    },
    /** The readers' view. */
    isPublished(urn: string): boolean {
      const one = unsettled.get(urn);
      return !one || (one.looks <= 0 && one.ending === 'PUBLISHED');
    },
  };
}

/** All posts and comments ever created, including deleted ones, by their URNs. */
export function linkedInStore(now: () => Date) {
  let last = FIRST;
  const next = () => String((last += 4_096n));
  const posts = objectStore<LinkedInPost & { readonly id: string }>(now, next);
  const comments = objectStore<LinkedInComment>(now, next);
  const gone = new Set<string>();
  let [deafLooks, unknownLooks] = [0, 0];
  const { begin, ...published } = publication();
  const isThere = ({ urn }: { readonly urn: string }) => !gone.has(urn);
  const postWith = (fits: (post: LinkedInPost) => boolean) =>
    posts.all.find((post) => fits(post) && isThere(post)) ?? null;
  const find = (urn: string) => postWith((post) => post.urn === urn);

  return {
    ...published,
    /** The number of posts and comments ever created. */
    createdCount: () => posts.createdCount() + comments.createdCount(),
    removed: (): readonly string[] => [...gone],
    find,
    /** By its own URN, or by that of its activity. */
    findBelow(urn: string) {
      if (deafLooks > 0) {
        deafLooks--;
        return null;
      }
      return find(urn) ?? postWith((post) => activityOf(post.urn) === urn);
    },
    /** For this many reads, comment endpoints do not know a post, as right after its creation. */
    setCommentLagPolls: (polls: number) => void (deafLooks = polls),
    findComment: (urn: string) => comments.all.find((one) => one.urn === urn && isThere(one)) ?? null,
    post(post: Omit<LinkedInPost, 'urn' | 'createdAt'>): LinkedInPost {
      const kind = post.files.some(({ urn }) => urn.startsWith('urn:li:video:')) ? 'ugcPost' : 'share';
      const { id } = posts.create({ ...post, urn: '' });
      const created = posts.change(id, { urn: `urn:li:${kind}:${id}` }) as LinkedInPost;
      begin(created.urn);
      return created;
    },
    /** For this many reads by URN a post is unknown, as right after its creation. */
    postsLag: (polls: number) => void (unknownLooks = polls),
    isKnown: () => unknownLooks === 0 || unknownLooks-- === 0,
    comment(comment: Pick<LinkedInComment, 'actor' | 'text' | 'postUrn'>): LinkedInComment {
      const activityUrn = activityOf(comment.postUrn);
      const { id } = comments.create({ ...comment, activityUrn, urn: '' });
      return comments.change(id, { urn: `urn:li:comment:(${activityUrn},${id})` }) as LinkedInComment;
    },
    edit(urn: string, words: { readonly shown: string; readonly commentary: string }): void {
      const post = find(urn);
      if (post) posts.edit(post.id, words);
    },
    editCount: () => posts.edits().length,
    remove: (urn: string) => void gone.add(urn),
    /** LinkedIn rewrites the source URL of an article. */
    recard(urn: string, source: string): void {
      const post = posts.all.find((one) => one.urn === urn);
      if (post?.card) posts.change(post.id, { card: { ...post.card, source } });
    },
    rewrite(urn: string, how: (text: string) => string): void {
      const post = posts.all.find((one) => one.urn === urn);
      const comment = comments.all.find((one) => one.urn === urn);
      if (post) posts.change(post.id, { commentary: how(post.commentary) });
      if (comment) comments.change(comment.id, { text: how(comment.text) });
    },
    /** All posts of an author, newest first, including deleted ones. */
    ever: (owner: string) => posts.list(({ author }) => author === owner),
    of: (owner: string) => posts.list((post) => post.author === owner && isThere(post)),
    below: (urn: string) => comments.list((one) => one.postUrn === urn && isThere(one)),
  };
}
