import type { PublishItem } from '@switchboard/platform-kit';
import { optionsOf, rules } from './rules.js';

/** The metadata of a video. One with a pending thumbnail is made visible when it has it. */
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

/** Always complete: an update resets omitted fields. */
export function statusOf(item: PublishItem, privacyStatus: string) {
  const { made_for_kids: forKids, synthetic_media: synthetic } = optionsOf(item);
  return {
    privacyStatus,
    ...(forKids !== undefined && { selfDeclaredMadeForKids: forKids }),
    ...(synthetic !== undefined && { containsSyntheticMedia: synthetic }),
  };
}
