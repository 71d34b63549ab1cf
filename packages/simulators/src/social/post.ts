export type Visibility = 'public' | 'followers' | 'private';
export const VISIBILITIES: readonly Visibility[] = ['public', 'followers', 'private'];

/** Named as on the wire; the `url` is added when it is shown. */
export interface Post {
  readonly id: string;
  readonly account_id: string;
  readonly text: string;
  readonly link: string | null;
  readonly visibility: Visibility;
  readonly reply_to: string | null;
  readonly client_ref: string | null;
  readonly created_at: string;
}

export function presentPost(origin: string, post: Post) {
  return { ...post, url: `${origin}/social/posts/${post.id}` };
}
