import { z } from 'zod';
import { graphList } from '../graph/graph.js';
import { pageRow } from '../graph/graph-pages.js';
import { UPLOADS } from './manifest.js';

const id = z.string().min(1);
const count = z.int().nonnegative();

export const page = pageRow.extend({
  name: z.string().nullish(),
  username: z.string().nullish(),
  link: z.string().nullish(),
  picture: z.object({ data: z.object({ url: z.string().nullish() }).nullish() }).nullish(),
});
export type Page = z.infer<typeof page>;

export const followers = z.object({ followers_count: count.nullish() });

export const createdId = z.object({ id });
/** Of a post or a comment, and of a video. */
export const objectText = z.object({ id, message: z.string().nullish(), description: z.string().nullish() });
export const done = z.object({ success: z.literal(true) });

const offset = z.union([z.string(), z.int()]).transform(Number).pipe(count);
/** The next chunk; none if both offsets are equal. */
export const nextChunk = z.object({ start_offset: offset, end_offset: offset });
export const startedUpload = nextChunk.extend({ video_id: id, upload_session_id: id });

/** This URL receives the login: only Facebook's own hosts are allowed. */
const ownAddress = z.string().startsWith(`${UPLOADS}/`);
export const startedReel = z.object({ video_id: id, upload_url: ownAddress });
export const sendingRefusal = z.object({
  debug_info: z.object({ type: z.string(), message: z.string(), retriable: z.boolean().nullish() }),
});

const error = z.object({ message: z.string().nullish() }).nullish();
const phase = z
  .object({ status: z.string().nullish(), publish_status: z.string().nullish(), error })
  .nullish();
export const video = z.object({
  published: z.boolean().nullish(),
  permalink_url: z.string().nullish(),
  status: z
    .object({ video_status: z.string().nullish(), processing_phase: phase, publishing_phase: phase })
    .nullish(),
});
export type Video = z.infer<typeof video>;

const target = z.object({ id: id.nullish() }).nullish();
const part = z.object({ type: z.string().nullish(), target });
const attachment = part.extend({
  url: z.string().nullish(),
  unshimmed_url: z.string().nullish(),
  subattachments: z.object({ data: z.array(part) }).nullish(),
});
export type Attachment = z.infer<typeof attachment>;

const listedPost = z.object({
  id,
  created_time: z.string(),
  message: z.string().nullish(),
  permalink_url: z.string().nullish(),
  attachments: z.object({ data: z.array(attachment) }).nullish(),
});
export type ListedPost = z.infer<typeof listedPost>;
export const listedPosts = graphList(listedPost);

export const comment = z.object({
  id,
  created_time: z.string(),
  message: z.string().nullish(),
  from: z.object({ id }).nullish(),
});

/** A number, or a map by kind, which omits zeros. */
const value = z.union([count, z.record(z.string(), count)]);
export const insights = z.object({
  data: z.array(
    z.object({
      name: z.string(),
      period: z.string().nullish(),
      values: z.array(z.object({ value: z.unknown() })).nullish(),
    }),
  ),
});
export type Insights = z.infer<typeof insights>;
/**
 * The lifetime value, although a daily one may be reported too. Values that are not counts are ignored:
 * videos also report watch times.
 */
export function valueOf(reported: Insights, name: string): z.infer<typeof value> | null {
  const rows = reported.data.filter((one) => one.name === name);
  const row = rows.find(({ period }) => period === 'lifetime') ?? (rows.length === 1 ? rows[0] : undefined);
  return value.safeParse(row?.values?.[0]?.value).data ?? null;
}
