import { ok, refuse, type PublishItem, type Session } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { comment, post, rawComment, requestJson, state, when } from './client.js';
import { contentOf, escapeHtml, imageBlocksOf, isSame, textWithLink } from './content.js';

const isGone = () => refuse('platform.refused', 'WordPress does not show it any more.');

/** A published post as it is stored; null: it is in the trash, or its author made it a draft. */
async function readPost(session: Session, path: string) {
  const query = { context: 'edit' };
  const seen = await requestJson(session, { path, query }, post, when('rest_post_invalid_id'));
  return seen.ok ? ok(seen.value?.status === 'publish' ? seen.value : null) : seen;
}

/** The content is replaced as a whole, so that the images of the post are sent again. */
export async function editPost(session: Session, path: string, item: PublishItem): AdapterResult<undefined> {
  const shown = await readPost(session, path);
  if (!shown.ok) return shown;
  if (shown.value === null) return isGone();
  const content = contentOf(item, imageBlocksOf(shown.value.content.raw));
  const json = { title: item.title ?? '', content };
  const edited = await requestJson(session, { method: 'POST', path, json, effect: 'write' }, post);
  if (!edited.ok) return edited;
  // A site also edits what has been moved to the trash since.
  return edited.value.status === 'publish' ? ok() : isGone();
}

export async function isPostEdited(
  session: Session,
  path: string,
  item: PublishItem,
): AdapterResult<boolean> {
  const shown = await readPost(session, path);
  if (!shown.ok) return shown;
  if (shown.value === null) return ok(false);
  const { title, content } = shown.value;
  return ok(
    isSame(title.raw, item.title ?? '') && isSame(content.raw, contentOf(item, imageBlocksOf(content.raw))),
  );
}

export async function editComment(
  session: Session,
  path: string,
  item: PublishItem,
): AdapterResult<undefined> {
  const shown = await requestJson(session, path, state, when('rest_comment_invalid_id'));
  if (!shown.ok) return shown;
  if (shown.value?.status !== 'approved') return isGone();
  const json = { content: escapeHtml(textWithLink(item)) };
  const edited = await requestJson(session, { method: 'POST', path, json, effect: 'write' }, comment);
  if (!edited.ok) return edited;
  return edited.value.status === 'approved' ? ok() : isGone();
}

/** Who is no moderator cannot read a comment as it was written: then it is sent again. */
export async function isCommentEdited(
  session: Session,
  path: string,
  item: PublishItem,
): AdapterResult<boolean> {
  const query = { context: 'edit' };
  const unreadable = when('rest_comment_invalid_id', 'rest_forbidden_context');
  const shown = await requestJson(session, { path, query }, rawComment, unreadable);
  if (!shown.ok) return shown;
  const own = escapeHtml(textWithLink(item));
  return ok(shown.value?.status === 'approved' && isSame(shown.value.content.raw, own));
}
