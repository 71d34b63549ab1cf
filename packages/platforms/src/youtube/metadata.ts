import type { PublishItem } from '@switchboard/domain';
import { optionsOf, rules } from './rules.js';

/** What YouTube is told of a video. One with a thumbnail to come is shown when it has it. */
export function videoMetadataOf(item: PublishItem) {
  const { tags, category } = optionsOf(item);
  return {
    snippet: {
      title: item.title ?? '',
      description: rules.finalText(item),
      ...(tags.length > 0 && { tags }),
      ...(category !== undefined && { categoryId: category }),
    },
    status: statusOf(item, item.media.length > 1 ? 'private' : optionsOf(item).visibility),
  };
}

/** All of it, always: what an update leaves out is taken back. */
export function statusOf(item: PublishItem, privacyStatus: string) {
  const { made_for_kids: forKids, synthetic_media: synthetic } = optionsOf(item);
  return {
    privacyStatus,
    ...(forKids !== undefined && { selfDeclaredMadeForKids: forKids }),
    ...(synthetic !== undefined && { containsSyntheticMedia: synthetic }),
  };
}
