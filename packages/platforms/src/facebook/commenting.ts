import type { Session } from '@switchboard/domain/ports';
import type { CommentApi } from '../kit/graph-comments.js';
import { manifest } from './manifest.js';
import { comment } from './wire.js';

export const commentApiOf = ({ account }: Session): CommentApi => ({
  name: manifest.name,
  query: { fields: 'id,message,created_time,from' },
  row: comment.transform(({ id, message, created_time: at, from }) => ({
    id,
    text: message ?? null,
    createdAt: at,
    isOwn: from ? from.id === account.id : null,
  })),
});
