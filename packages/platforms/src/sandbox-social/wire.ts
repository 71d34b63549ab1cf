import { z } from 'zod';
import { createPlatformClient, type ErrorMapping } from '@switchboard/platform-kit/platform-client';
import { manifest } from './manifest.js';

const refusal = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

export const errorMapping: ErrorMapping = {
  name: manifest.name,
  parseError: (response) => refusal.safeParse(response.json).data?.error ?? null,
  classify: (_answer, { code = '' }) => meanings.get(code) ?? 'platform.refused',
};

export const { exists, requestJson } = createPlatformClient(errorMapping);

const meanings = new Map<string, ReturnType<ErrorMapping['classify']>>([
  ['insufficient_scope', 'platform.permission_missing'],
  ['daily_limit_reached', 'platform.rate_limited'],
]);

const profile = z.object({
  id: z.string().min(1),
  username: z.string(),
  name: z.string(),
  avatar_url: z.string().nullable(),
  url: z.string(),
});

export const account = profile.extend({
  pages: z.array(profile.extend({ access_token: z.string().min(1) })).default([]),
});

export const post = z.object({ id: z.string().min(1), url: z.string().nullable() });

/** A post or a comment. */
export const identified = z.object({ id: z.string().min(1) });

export const content = z.object({ text: z.string(), link: z.string().nullish() });

export const media = z.object({ id: z.string().min(1) });

export const publishingOptions = z.object({
  topics: z.array(z.object({ id: z.string().min(1), name: z.string() })),
  posts_today: z.object({
    used: z.int().nonnegative(),
    limit: z.int().nonnegative(),
    resets_at: z.iso.datetime(),
  }),
});

export const postList = z.object({ data: z.array(post) });

export const postPage = z.object({
  data: z.array(
    post.extend({ text: z.string(), created_at: z.iso.datetime(), reply_to: z.string().nullable() }),
  ),
  next_page_token: z.string().nullable(),
});

const count = z.int().nonnegative();

export const postInsights = z.object({
  metrics: z.object({
    impressions: count,
    likes: count,
    comments: count,
    shares: count,
    clicks: count.nullable(),
  }),
});

export const accountInsights = z.object({ metrics: z.object({ followers: count }) });

/** A removal returns 204 and no body. */
export const nothing = z.undefined();
