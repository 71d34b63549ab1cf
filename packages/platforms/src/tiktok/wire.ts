import type { PlatformResponse } from '@switchboard/platform-kit';
import { z } from 'zod';
import type { ErrorMapping } from '@switchboard/platform-kit/platform-client';
import { manifest } from './manifest.js';

/** Present in every response: `ok` in a successful one. */
const error = z.object({ error: z.object({ code: z.string(), message: z.string().nullish() }) });

export const codeIn = ({ json }: Pick<PlatformResponse, 'json'>): string | undefined =>
  error.safeParse(json).data?.error.code;

export const errorMapping: ErrorMapping = {
  name: manifest.name,
  parseError(response) {
    const parsed = error.safeParse(response.json).data?.error;
    return parsed ? { code: parsed.code, message: parsed.message || parsed.code } : null;
  },
  classify(_answer, { code = '' }) {
    if (code.startsWith('scope_')) return 'platform.permission_missing';
    return code === 'rate_limit_exceeded' ? 'platform.rate_limited' : 'platform.refused';
  },
};

const count = z.int().nonnegative().nullish();

export const user = z.object({
  data: z.object({
    user: z.object({
      open_id: z.string().min(1),
      display_name: z.string().nullish(),
      avatar_url: z.string().nullish(),
      username: z.string().nullish(),
    }),
  }),
});

export const stats = z.object({ data: z.object({ user: z.object({ follower_count: count }) }) });

export const creatorInfo = z.object({
  data: z.object({
    privacy_level_options: z.array(z.string().min(1)),
    comment_disabled: z.boolean().nullish(),
    duet_disabled: z.boolean().nullish(),
    stitch_disabled: z.boolean().nullish(),
    max_video_post_duration_sec: z.number().positive().nullish(),
  }),
});
export type Creator = z.infer<typeof creatorInfo>['data'];

const publishId = z.string().min(1).max(64);
export const startedVideo = z.object({ data: z.object({ publish_id: publishId, upload_url: z.url() }) });
export const startedPhotos = z.object({ data: z.object({ publish_id: publishId }) });

export const postStatus = z.object({
  data: z.object({
    status: z.string(),
    fail_reason: z.string().nullish(),
    publicaly_available_post_id: z.array(z.string().min(1)).nullish(),
    uploaded_bytes: z.int().nonnegative().nullish(),
  }),
});

export const identified = z.object({
  data: z.object({ videos: z.array(z.object({ id: z.string() })).nullish() }),
});

const numbers = z.object({
  id: z.string(),
  view_count: count,
  like_count: count,
  comment_count: count,
  share_count: count,
});
export type CountedVideo = z.infer<typeof numbers>;

const listed = numbers.extend({
  id: z.string().min(1),
  create_time: z.int().nonnegative(),
  title: z.string().nullish(),
  video_description: z.string().nullish(),
  /** `…/@name/photo/…` or `…/@name/video/…`. */
  share_url: z.string().nullish(),
});
export type ListedVideo = z.infer<typeof listed>;

export const videos = z.object({
  data: z.object({
    videos: z.array(listed).nullish(),
    cursor: z.int().nullish(),
    has_more: z.boolean().nullish(),
  }),
});

export const counted = z.object({ data: z.object({ videos: z.array(numbers).nullish() }) });
