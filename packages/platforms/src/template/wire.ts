import { z } from 'zod';
import { createPlatformClient, type ErrorMapping } from '@switchboard/platform-kit/platform-client';
import { manifest } from './manifest.js';

const refusal = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

export const errorMapping: ErrorMapping = {
  name: manifest.name,
  parseError: (response) => refusal.safeParse(response.json).data?.error ?? null,
  classify: (response) => (response.status === 403 ? 'platform.permission_missing' : 'platform.refused'),
};

export const { requestJson } = createPlatformClient(errorMapping);

export const account = z.object({ id: z.string().min(1), handle: z.string(), name: z.string() });

export const file = z.object({ id: z.string().min(1) });

export const post = z.object({ id: z.string().min(1), url: z.string() });

export const posts = z.object({ posts: z.array(post) });

export const boards = z.object({
  boards: z.array(z.object({ id: z.string().min(1), name: z.string() })),
});

export const quota = z.object({
  posts_today: z.int().nonnegative(),
  posts_per_day: z.int().positive(),
});
