import type { World } from '../world.js';
import { commentsOf, type Comments } from './comments.js';
import { createMediaStore, type MediaStore } from './media.js';
import { postsOf, type Posts } from './posts.js';
import { quotaOf, type Quota } from './quota.js';

/** The complete state of the social platform. */
export interface SocialState {
  readonly posts: Posts;
  readonly comments: Comments;
  readonly media: MediaStore;
  readonly quota: Quota;
}

export const socialStateOf = (world: World): SocialState => ({
  posts: postsOf(world),
  comments: commentsOf(world),
  media: createMediaStore(world),
  quota: quotaOf(world),
});
