import { z } from 'zod';
import { graphList, createGraphClient } from '../graph/graph.js';
import { containerState } from '../graph/graph-containers.js';
import { manifest } from './manifest.js';

export const requestJson = createGraphClient(manifest.name);

const id = z.string().min(1);
const count = z.int().nonnegative().nullish();

export const profile = z.object({
  id,
  username: z.string().nullish(),
  name: z.string().nullish(),
  threads_profile_picture_url: z.string().nullish(),
});

export const container = z
  .object({ status: containerState, error_message: z.string().nullish() })
  .transform(({ status: state, error_message: reason }) => ({ state, reason: reason ?? undefined }));

const post = z.object({
  id,
  permalink: z.string().nullish(),
  timestamp: z.string(),
  text: z.string().nullish(),
  media_type: z.string().nullish(),
  children: z.object({ data: z.array(z.unknown()) }).nullish(),
  replied_to: z.object({ id }).nullish(),
});
export type FoundPost = z.infer<typeof post>;

export const posts = graphList(post);

const limit = z.object({ quota_total: z.int().nonnegative() });

export const usage = z.object({
  data: z
    .array(
      z.object({
        quota_usage: z.int().nonnegative(),
        config: limit,
        reply_quota_usage: count,
        reply_config: limit.nullish(),
      }),
    )
    .min(1),
});

export const insights = z.object({
  data: z.array(
    z.object({
      name: z.string(),
      values: z.array(z.object({ value: count })).nullish(),
      total_value: z.object({ value: count }).nullish(),
    }),
  ),
});
export type Insights = z.infer<typeof insights>;
