import type { PublishItem } from '@switchboard/domain';

/** Where an item's receipt has the id of a medium that is uploaded. */
export const mediaReceiptKey = (at: number): string => `media_${at}`;

/** The ids of an item's media, once all of them are uploaded; null where one is missing, so that no post was ever sent. */
export function uploadedMediaIds({
  mediaCount,
  receipt,
}: Pick<PublishItem, 'mediaCount' | 'receipt'>): readonly string[] | null {
  const ids = Array.from({ length: mediaCount }, (_, at) => receipt[mediaReceiptKey(at)] ?? '');
  return ids.includes('') ? null : ids;
}
