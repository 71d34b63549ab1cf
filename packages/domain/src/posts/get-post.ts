import { reaches, type Call } from '../call.js';
import { notFound } from '../failure.js';
import { parseId } from '../ids.js';
import type { Posts } from '../ports/posts.js';
import { ok, type Result } from '../result.js';
import type { Post } from './post.js';

export interface GetPost {
  readonly id: string;
}

export async function getPost(
  ports: { readonly posts: Pick<Posts, 'find'> },
  call: Call,
  { id }: GetPost,
): Promise<Result<Post, 'post.not_found'>> {
  const known = parseId('pst', id);
  const post = known && (await ports.posts.find(call.workspaceId, known));
  return post && reaches(call, post.profileId) ? ok(post) : notFound('post');
}
