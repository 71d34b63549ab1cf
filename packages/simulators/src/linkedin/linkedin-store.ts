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
  /** What people see of the text. */
  readonly shown: string;
  /** As it is told again. */
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
  /** The post below which it stands, and the activity that LinkedIn calls it in a comment. */
  readonly postUrn: string;
  readonly activityUrn: string;
  readonly createdAt: Date;
}

export type PublishEnding = 'PUBLISHED' | 'PUBLISH_FAILED';

const FIRST = 7_380_000_000_000_000_001n;
/** An activity is not called as its post is. */
const ACTIVITY = 900_000_000_001n;

/** Everything that was ever posted or said below it, and what of it still stands. */
export function linkedInStore(now: () => Date) {
  const posts: LinkedInPost[] = [];
  const comments: LinkedInComment[] = [];
  const gone = new Set<string>();
  let [last, deafLooks, unknownLooks] = [FIRST, 0, 0];
  /** How often the author still looks at a post before LinkedIn has published it, and what becomes of it then. */
  const unsettled = new Map<string, { looks: number; readonly ending: PublishEnding }>();
  let publishing: { readonly looks: number; readonly ending: PublishEnding } = {
    looks: 0,
    ending: 'PUBLISHED',
  };
  const next = () => (last += 4_096n);
  const find = (urn: string) => posts.find((post) => post.urn === urn && !gone.has(urn)) ?? null;
  const activityOf = (urn: string) => `urn:li:activity:${BigInt(urn.split(':').at(-1) ?? '0') + ACTIVITY}`;

  return {
    /** How many posts and comments were ever made. */
    createdCount: () => posts.length + comments.length,
    removed: (): readonly string[] => [...gone],
    find,
    /** By its own name, or by that of its activity. */
    findBelow(urn: string) {
      if (deafLooks > 0) {
        deafLooks--;
        return null;
      }
      return find(urn) ?? posts.find((post) => activityOf(post.urn) === urn && !gone.has(post.urn)) ?? null;
    },
    /** For so many looks comments know of no post, as of one that was made this moment. */
    setCommentLagPolls: (polls: number) => void (deafLooks = polls),
    findComment: (urn: string) => comments.find((one) => one.urn === urn && !gone.has(urn)) ?? null,
    post(post: Omit<LinkedInPost, 'urn' | 'createdAt'>): LinkedInPost {
      const kind = post.files.some(({ urn }) => urn.startsWith('urn:li:video:')) ? 'ugcPost' : 'share';
      const created = { ...post, urn: `urn:li:${kind}:${next()}`, createdAt: now() };
      posts.push(created);
      unsettled.set(created.urn, { ...publishing });
      return created;
    },
    /** What is posted from now on is published after so many looks of its author, or not at all. */
    publishingTakes: (polls: number, ending: PublishEnding = 'PUBLISHED') =>
      void (publishing = { looks: polls, ending }),
    /** For so many looks by its name a post is not known, as of one that was made this moment. */
    postsLag: (polls: number) => void (unknownLooks = polls),
    isKnown: () => unknownLooks === 0 || unknownLooks-- === 0,
    /** As its author sees it; every look brings it nearer. */
    lookAtState(urn: string): string {
      const one = unsettled.get(urn);
      return one === undefined || one.looks-- <= 0 ? (one?.ending ?? 'PUBLISHED') : 'PUBLISH_REQUESTED';
    },
    /** Others see it. */
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
    /** LinkedIn writes the source of a card in another way than it was sent. */
    recard(urn: string, source: string): void {
      const stated = posts.find((post) => post.urn === urn);
      if (stated?.card) posts[posts.indexOf(stated)] = { ...stated, card: { ...stated.card, source } };
    },
    /** LinkedIn writes a text in another way than it was sent. */
    rewrite(urn: string, how: (text: string) => string): void {
      const stated = posts.find((post) => post.urn === urn);
      const below = comments.find((comment) => comment.urn === urn);
      if (stated) posts[posts.indexOf(stated)] = { ...stated, commentary: how(stated.commentary) };
      if (below) comments[comments.indexOf(below)] = { ...below, text: how(below.text) };
    },
    /** All that an author ever posted, the newest first, with what is gone. */
    ever: (author: string) => posts.filter((post) => post.author === author).reverse(),
    of: (author: string) => posts.filter((post) => post.author === author && !gone.has(post.urn)).reverse(),
    below: (postUrn: string) =>
      comments.filter((one) => one.postUrn === postUrn && !gone.has(one.urn)).reverse(),
  };
}

export type LinkedInStore = ReturnType<typeof linkedInStore>;
