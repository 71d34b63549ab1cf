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

export interface LinkedInComment {
  readonly urn: string;
  readonly id: string;
  readonly actor: string;
  readonly text: string;
  /** The post that it belongs to, and the activity URN that LinkedIn uses for it in a comment. */
  readonly postUrn: string;
  readonly activityUrn: string;
  readonly createdAt: Date;
}

export type PublishEnding = 'PUBLISHED' | 'PUBLISH_FAILED';

const FIRST = 7_380_000_000_000_000_001n;
/** The URN of an activity differs from that of its post. */
const ACTIVITY = 900_000_000_001n;

/** All posts and comments ever created, including deleted ones. */
export function linkedInStore(now: () => Date) {
  const posts: LinkedInPost[] = [];
  const comments: LinkedInComment[] = [];
  const gone = new Set<string>();
  let [last, deafLooks, unknownLooks] = [FIRST, 0, 0];
  /** The number of author reads before LinkedIn publishes a post, and the outcome. */
  const unsettled = new Map<string, { looks: number; readonly ending: PublishEnding }>();
  let publishing: { readonly looks: number; readonly ending: PublishEnding } = {
    looks: 0,
    ending: 'PUBLISHED',
  };
  const next = () => (last += 4_096n);
  const find = (urn: string) => posts.find((post) => post.urn === urn && !gone.has(urn)) ?? null;
  const activityOf = (urn: string) => `urn:li:activity:${BigInt(urn.split(':').at(-1) ?? '0') + ACTIVITY}`;

  return {
    /** The number of posts and comments ever created. */
    createdCount: () => posts.length + comments.length,
    removed: (): readonly string[] => [...gone],
    find,
    /** By its own URN, or by that of its activity. */
    findBelow(urn: string) {
      if (deafLooks > 0) {
        deafLooks--;
        return null;
      }
      return find(urn) ?? posts.find((post) => activityOf(post.urn) === urn && !gone.has(post.urn)) ?? null;
    },
    /** For this many reads, comment endpoints do not know a post, as right after its creation. */
    setCommentLagPolls: (polls: number) => void (deafLooks = polls),
    findComment: (urn: string) => comments.find((one) => one.urn === urn && !gone.has(urn)) ?? null,
    post(post: Omit<LinkedInPost, 'urn' | 'createdAt'>): LinkedInPost {
      const kind = post.files.some(({ urn }) => urn.startsWith('urn:li:video:')) ? 'ugcPost' : 'share';
      const created = { ...post, urn: `urn:li:${kind}:${next()}`, createdAt: now() };
      posts.push(created);
      unsettled.set(created.urn, { ...publishing });
      return created;
    },
    /** Posts created from now on are published after this many author reads, or never. */
    publishingTakes: (polls: number, ending: PublishEnding = 'PUBLISHED') =>
      void (publishing = { looks: polls, ending }),
    /** For this many reads by URN a post is unknown, as right after its creation. */
    postsLag: (polls: number) => void (unknownLooks = polls),
    isKnown: () => unknownLooks === 0 || unknownLooks-- === 0,
    /** The author's view; every read advances the publication. */
    lookAtState(urn: string): string {
      const one = unsettled.get(urn);
      return one === undefined || one.looks-- <= 0 ? (one?.ending ?? 'PUBLISHED') : 'PUBLISH_REQUESTED';
    },
    /** The readers' view. */
    isPublished: (urn: string) => {
      const { looks = 0, ending = 'PUBLISHED' } = unsettled.get(urn) ?? {};
      return looks <= 0 && ending === 'PUBLISHED';
    },
    comment(comment: Pick<LinkedInComment, 'actor' | 'text' | 'postUrn'>): LinkedInComment {
      const [id, activityUrn] = [String(next()), activityOf(comment.postUrn)];
      const created = {
        ...comment,
        id,
        activityUrn,
        urn: `urn:li:comment:(${activityUrn},${id})`,
        createdAt: now(),
      };
      comments.push(created);
      return created;
    },
    remove: (urn: string) => void gone.add(urn),
    /** LinkedIn rewrites the source URL of an article. */
    recard(urn: string, source: string): void {
      const stated = posts.find((post) => post.urn === urn);
      if (stated?.card) posts[posts.indexOf(stated)] = { ...stated, card: { ...stated.card, source } };
    },
    /** LinkedIn rewrites the text. */
    rewrite(urn: string, how: (text: string) => string): void {
      const stated = posts.find((post) => post.urn === urn);
      const below = comments.find((comment) => comment.urn === urn);
      if (stated) posts[posts.indexOf(stated)] = { ...stated, commentary: how(stated.commentary) };
      if (below) comments[comments.indexOf(below)] = { ...below, text: how(below.text) };
    },
    /** All posts of an author, newest first, including deleted ones. */
    ever: (author: string) => posts.filter((post) => post.author === author).reverse(),
    of: (author: string) => posts.filter((post) => post.author === author && !gone.has(post.urn)).reverse(),
    below: (postUrn: string) =>
      comments.filter((one) => one.postUrn === postUrn && !gone.has(one.urn)).reverse(),
  };
}

export type LinkedInStore = ReturnType<typeof linkedInStore>;
