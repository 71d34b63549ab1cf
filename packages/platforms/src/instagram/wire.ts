import { z } from 'zod';
import { createGraphClient, graphList } from '../graph/graph.js';
import { containerState } from '../graph/graph-containers.js';
import { pageRow } from '../graph/graph-pages.js';
import { manifest } from './manifest.js';

export const requestJson = createGraphClient(manifest.name);

const id = z.string().min(1);
const count = z.int().nonnegative().nullish();

const account = z.object({
  id,
  username: z.string().nullish(),
  name: z.string().nullish(),
  profile_picture_url: z.string().nullish(),
});
export type Account = z.infer<typeof account>;

/** With Instagram's own login, whose `id` is a different, app-scoped one. */
const person = account.omit({ id: true }).extend({ user_id: z.union([id, z.int()]).transform(String) });
/** Documented as the one row of a list, and returned as an object. */
export const profile = z.union([
  person,
  z.object({ data: z.tuple([person]) }).transform(({ data }) => data[0]),
]);

/** With the login of a page, or of a person that has pages. */
export const page = pageRow.extend({ instagram_business_account: account.nullish() });

export const followers = z.object({ followers_count: count });

export const container = z
  .object({ status_code: containerState, status: z.string().nullish() })
  .transform(({ status_code: state, status: reason }) => ({ state, reason: reason ?? undefined }));

const media = z.object({
  id,
  permalink: z.string().nullish(),
  timestamp: z.string(),
  caption: z.string().nullish(),
  media_type: z.string().nullish(),
  children: z.object({ data: z.array(z.unknown()) }).nullish(),
});
export type FoundMedia = z.infer<typeof media>;
export const mediaList = graphList(media);

export const comment = z.object({
  id,
  timestamp: z.string(),
  text: z.string().nullish(),
  username: z.string().nullish(),
  /** For the account's own comments only. */
  user: z.object({ id }).nullish(),
});

export const usage = z.object({
  data: z
    .array(
      z.object({
        quota_usage: z.int().nonnegative(),
        config: z.object({ quota_total: z.int().nonnegative() }),
      }),
    )
    .min(1),
});

export const insights = z.object({
  data: z.array(z.object({ name: z.string(), values: z.array(z.object({ value: count })).nullish() })),
});
export type Insights = z.infer<typeof insights>;
