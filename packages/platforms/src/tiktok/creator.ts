import {
  ok,
  refuse,
  type Refusal,
  type MediaRules,
  type AccountOptions,
  type PublishItem,
  type Session,
} from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { requestJson } from './client.js';
import { LONGEST_SECONDS, manifest, media } from './manifest.js';
import { optionsOf } from './rules.js';
import { creatorInfo, type Creator } from './wire.js';

/** The account's current permissions, which TikTok requires to be read before every post. */
export async function fetchCreator(session: Session): AdapterResult<Creator> {
  const path = '/v2/post/publish/creator_info/query/';
  const result = await requestJson(session, { method: 'POST', path, json: {}, effect: 'read' }, creatorInfo);
  return result.ok ? ok(result.value.data) : result;
}

const maxSecondsOf = (creator: Creator): number => creator.max_video_post_duration_sec ?? LONGEST_SECONDS;

export const mediaLimitsOf = (creator: Creator): MediaRules => ({
  ...media,
  videos: { ...media.videos, maxSeconds: maxSecondsOf(creator) },
});

const PRIVACY: Readonly<Record<string, string>> = {
  PUBLIC_TO_EVERYONE: 'Everyone',
  MUTUAL_FOLLOW_FRIENDS: 'Friends (mutual followers)',
  FOLLOWER_OF_CREATOR: 'Followers',
  SELF_ONLY: 'Only the account itself',
};

export const accountOptionsOf = (creator: Creator): AccountOptions => {
  const off: Readonly<Record<string, boolean | null | undefined>> = {
    disable_comment: creator.comment_disabled,
    disable_duet: creator.duet_disabled,
    disable_stitch: creator.stitch_disabled,
  };
  const choices = [...new Set(creator.privacy_level_options)].map((value) => ({
    value,
    label: PRIVACY[value] ?? value,
  }));
  return {
    mediaLimits: mediaLimitsOf(creator),
    options: manifest.options.map((option) => {
      if (option.name === 'privacy_level') return { ...option, choices };
      return off[option.name]
        ? { ...option, label: `${option.label} (always, by the account’s settings)` }
        : option;
    }),
  };
};

/** Rejects what the account does not currently allow, before the request to TikTok. */
export function creatorRefusal(creator: Creator, item: PublishItem): Refusal<'platform.refused'> | null {
  const { privacy_level: privacy = '' } = optionsOf(item);
  if (!creator.privacy_level_options.includes(privacy)) {
    const choices = creator.privacy_level_options.join(', ');
    return refuse('platform.refused', `\`privacy_level\` must be one of ${choices}.`);
  }
  const longest = maxSecondsOf(creator);
  const tooLong = item.media.some(({ durationSeconds }) => (durationSeconds ?? 0) > longest);
  return tooLong
    ? refuse('platform.refused', `Videos of this account may last at most ${longest} seconds.`)
    : null;
}
