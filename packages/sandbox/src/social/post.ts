import type { Media } from './media.js';

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
