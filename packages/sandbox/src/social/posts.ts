import { randomBytes } from 'node:crypto';
import type { World } from '../world.js';
import { seededRandom } from '../random.js';
import type { Media } from './media.js';
import { recordedRows } from './recorded-rows.js';

const since = { media: [], topic: null } satisfies Partial<Post>;

export type NewPost = Omit<Post, 'id' | 'created_at'>;

/** The posts that exist on the platform. */
export function postsOf(world: World) {
  const { clock, epoch, journal, seed } = world;
  const recorded = recordedRows<Post>(world, 'post', ({ text }) => ({ text }));
  const { rows } = recorded;
  // Older state files contain neither.
  const whole = (post: Post): Post => ({ ...since, ...post });
  const seeded = journal.collection<true>('social.seeded');
  if (seeded.get('posts') === undefined) {
    journal.transaction(() => {
      seededPosts(seed, epoch).forEach((post) => rows.set(post.id, post));
      seeded.set('posts', true);
    });
  }
  return {
    create(requested: NewPost): Post {
      const id = `p${randomBytes(9).toString('hex')}`;
      return recorded.create({ id, ...requested, created_at: clock.now().toISOString() });
    },
    get(id: string): Post | undefined {
      const post = rows.get(id);
      return post && whole(post);
    },
    /** Newest first. */
    list: () =>
      rows
        .values()
        .map(whole)
        .sort((a, b) =>
          a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : a.id < b.id ? 1 : -1,
        ),
    /** Its media and everything else stay. */
    edit: (post: Post, { text, link }: Pick<Post, 'text' | 'link'>) =>
      recorded.replace({ ...post, text, link }),
    delete: recorded.delete,
  };
}
export type Posts = ReturnType<typeof postsOf>;

const WORDS: Readonly<Record<string, readonly (readonly [text: string, link?: string])[]>> = {
  'maren-holt': [
    ['First firing of the new glaze. It came out the color of wet slate and I could not be happier.'],
    ['A small batch of cups goes online on Thursday at noon.', 'https://example.com/maren/cups'],
    [
      'A question from the last market: how long does a bowl take? Twelve minutes to throw, three weeks to become a bowl.',
    ],
    ['Rain all day. Perfect throwing weather. 🌧️'],
    ['Notes on reclaiming clay, with photos of my worst bucket.', 'https://example.com/maren/reclaim'],
  ],
  'lumen-coffee': [
    [
      'New on the shelf: a washed Huila with red apple and a little caramel. 250 g, roasted this morning.',
      'https://example.com/lumen/huila',
    ],
    ['We are closed on Monday. The espresso machine is getting the spa day it deserves.'],
    ['Cold brew is back. Summer may now begin. ☀️'],
    ['What we learned from roasting 1,000 batches on the same drum.', 'https://example.com/lumen/thousand'],
    ['Baristas wanted: kind people who like mornings. Come by and say hello.'],
  ],
  'tidal-museum': [
    [
      'The tide clock of 1872 runs again, after eleven months in the workshop.',
      'https://example.com/tidal/clock',
    ],
    ['Free entry this Sunday for everyone who arrives by boat. Yes, really.'],
    ['On this day a letter took four months from Valparaíso to Hamburg. It is on show in room 3.'],
    ['High water at 14:20 today: the best time to see the lock gates move.'],
    ['Our collection of knots is now online: 412 of them.', 'https://example.com/tidal/knots'],
  ],
};

const DAY_MS = 86_400_000;

/** The accounts' posts of the month before the sandbox started, so that feed and insights are not empty. */
function seededPosts(seed: number, epoch: Date): Post[] {
  return Object.entries(WORDS).flatMap(([account, words]) => {
    const random = seededRandom(`${seed}:posts:${account}`);
    return words.map(([text, link], index): Post => {
      const daysAgo = 27 - index * 6 + random.next() * 3;
      return {
        id: random.id('p'),
        account_id: account,
        text,
        link: link ?? null,
        media: [],
        topic: null,
        visibility: 'public',
        reply_to: null,
        client_ref: null,
        created_at: new Date(epoch.getTime() - Math.round(daysAgo * DAY_MS)).toISOString(),
      };
    });
  });
}

export type Visibility = 'public' | 'followers' | 'private';
export const VISIBILITIES: readonly Visibility[] = ['public', 'followers', 'private'];

/** Named as on the wire; the `url` is added in responses. */
export interface Post {
  readonly id: string;
  readonly account_id: string;
  readonly text: string;
  readonly link: string | null;
  readonly media: readonly PostMedia[];
  readonly topic: string | null;
  readonly visibility: Visibility;
  readonly reply_to: string | null;
  readonly client_ref: string | null;
  readonly created_at: string;
}

/** A file as used in a post. */
export interface PostMedia {
  readonly id: string;
  readonly type: Media['type'];
  readonly alt_text: string | null;
}

/** The URL becomes available some time after the creation: see the setting `post_url_after_seconds`. */
export function presentPost(origin: string, post: Post, tellsUrl: boolean) {
  const media = post.media.map((one) => ({ ...one, url: `${origin}${mediaPath(one)}` }));
  return { ...post, media, url: tellsUrl ? `${origin}/social/posts/${post.id}` : null };
}

export const mediaPath = ({ id }: Pick<PostMedia, 'id'>): string => `/social/media/${id}`;
