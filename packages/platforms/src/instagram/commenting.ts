import type { Session } from '@switchboard/domain/ports';
import type { CommentApi } from '../kit/graph-comments.js';
import { manifest } from './manifest.js';
import { comment } from './wire.js';

/** The author is reported by name, or only for the account's own comments. */
export const commentApiOf = ({ account }: Session): CommentApi => ({
  name: manifest.name,
  query: { fields: 'id,text,timestamp,username,user' },
  row: comment.transform(({ id, text, timestamp, username, user }) => ({
    id,
    text: text ?? null,
    createdAt: timestamp,
    isOwn: user != null || (username == null ? null : username === account.username),
  })),
});
