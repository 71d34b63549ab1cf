import { ok, refuse, type PublishItem, type Session } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { normalizeText } from '@switchboard/platform-kit/normalize-text';
import { rules } from './rules.js';
import { describedVideos, identified, requestJson, type DescribedVideo } from './wire.js';

const path = '/youtube/v3/videos';

/** Null: the channel does not have it. */
async function readSnippet(session: Session, id: string): AdapterResult<DescribedVideo | null> {
  const read = await requestJson(session, { path, query: { part: 'snippet', id } }, describedVideos);
  return read.ok ? ok(read.value.items.find((one) => one.id === id) ?? null) : read;
}

/**
 * Replaces title and description. An update deletes what its snippet omits, so that the rest is sent as it is.
 * https://developers.google.com/youtube/v3/docs/videos/update
 */
export async function editVideo(session: Session, id: string, item: PublishItem): AdapterResult<undefined> {
  const found = await readSnippet(session, id);
  if (!found.ok) return found;
  if (found.value === null) return refuse('platform.refused', 'YouTube does not list the video any more.');
  const { snippet: kept } = found.value;
  const snippet = { ...kept, title: item.title ?? kept.title, description: rules.finalText(item) };
  const edited = await requestJson(
    session,
    { method: 'PUT', path, query: { part: 'snippet' }, json: { id, snippet }, effect: 'write' },
    identified,
  );
  return edited.ok ? ok() : edited;
}

export async function isVideoEdited(session: Session, id: string, item: PublishItem): AdapterResult<boolean> {
  const found = await readSnippet(session, id);
  if (!found.ok) return found;
  if (found.value === null) return ok(false);
  const { title, description } = found.value.snippet;
  return ok(
    normalizeText(description ?? '') === normalizeText(rules.finalText(item)) &&
      (item.title === null || normalizeText(title) === normalizeText(item.title)),
  );
}
