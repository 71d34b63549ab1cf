import { randomBytes } from 'node:crypto';
import { invalidField, type HttpResponse } from '../wire/response.js';
import { isProvided } from '../wire/parameters.js';
import type { World } from '../world.js';
import { recordedRows } from './recorded-rows.js';

const COMMENT_LIMIT_CODE_POINTS = 300;

/** A comment below a post. It is not a post: it has no feed entry and no metrics. */
export interface Comment {
  readonly id: string;
  readonly post_id: string;
  readonly account_id: string;
  readonly text: string;
  readonly client_ref: string | null;
  readonly created_at: string;
}

export function commentsOf(world: World) {
  const recorded = recordedRows<Comment>(world, 'comment', ({ post_id }) => ({ post_id }));
  const { rows } = recorded;
  return {
    create(requested: Omit<Comment, 'id' | 'created_at'>): Comment {
      const id = `c${randomBytes(9).toString('hex')}`;
      return recorded.create({ id, ...requested, created_at: world.clock.now().toISOString() });
    },
    get: (id: string) => rows.get(id),
    /** Oldest first. */
    list: () => rows.values(),
    edit: (comment: Comment, text: string) => recorded.replace({ ...comment, text }),
    delete: recorded.delete,
    /** Deleting a post deletes its comments without a separate effect. */
    forget: (postId: string) =>
      rows
        .values()
        .filter((comment) => comment.post_id === postId)
        .forEach((comment) => rows.delete(comment.id)),
  };
}

export function presentComment(origin: string, comment: Comment) {
  return { ...comment, url: `${origin}/social/posts/${comment.post_id}#${comment.id}` };
}

/** The error of a caller's reference; undefined: it is valid. */
export const invalidReference = (reference: unknown): HttpResponse | undefined =>
  isProvided(reference) && (typeof reference !== 'string' || reference.length > 100)
    ? invalidField('client_ref', 'client_ref_invalid', 'client_ref may have at most 100 characters.')
    : undefined;

export function readNewComment(
  body: Readonly<Record<string, unknown>>,
): Pick<Comment, 'text' | 'client_ref'> | HttpResponse {
  const { text, client_ref: clientRef } = body;
  if (typeof text !== 'string' || text.trim() === '')
    return invalidField('text', 'text_required', 'A comment needs a text.');
  const [length, limit] = [[...text].length, COMMENT_LIMIT_CODE_POINTS];
  if (length > limit) {
    const message = `A comment may have at most ${limit} characters.`;
    return invalidField('text', 'text_too_long', message, { limit, length });
  }
  return (
    invalidReference(clientRef) ?? { text, client_ref: isProvided(clientRef) ? (clientRef as string) : null }
  );
}
