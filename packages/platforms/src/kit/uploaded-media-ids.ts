import type { PublishItem } from '@switchboard/domain';

/** The receipt key with the ID of an uploaded medium. */
export const mediaReceiptKey = (at: number): string => `media_${at}`;

/** The IDs of an item's media if all are uploaded; null if one is missing, so that no post was ever sent. */
export function uploadedMediaIds({
  mediaCount,
  receipt,
}: Pick<PublishItem, 'mediaCount' | 'receipt'>): readonly string[] | null {
  const ids = Array.from({ length: mediaCount }, (_, at) => receipt[mediaReceiptKey(at)] ?? '');
  return ids.includes('') ? null : ids;
}
