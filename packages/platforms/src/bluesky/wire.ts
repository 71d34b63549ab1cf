import { z } from 'zod';
import { createPlatformClient, type ErrorMapping } from '@switchboard/platform-kit/platform-client';
import { manifest } from './manifest.js';

const xrpcError = z.object({ error: z.string(), message: z.string().optional() });

/**
 * The PDS responds to an expired token with 400, not 401. What reaches an adapter is a token that the session
 * could not renew.
 */
const deadTokens = new Set(['ExpiredToken', 'InvalidToken']);

export const errorMapping: ErrorMapping = {
  name: manifest.name,
  parseError(response) {
    const parsed = xrpcError.safeParse(response.json);
    // A proxy in front of the server has its own limit, and responds without the server's error format.
    if (!parsed.success) return response.status === 413 ? { message: 'Payload Too Large' } : null;
    return { code: parsed.data.error, message: parsed.data.message ?? parsed.data.error };
  },
  classify(response, words) {
    if (words.code !== undefined && deadTokens.has(words.code)) return 'connection.needs_reauth';
    return response.status === 403 ? 'platform.permission_missing' : 'platform.refused';
  },
};

export const { exists, requestJson } = createPlatformClient(errorMapping);

const did = z.string().regex(/^did:[a-z]+:.+$/);
const atUri = z.string().startsWith('at://');
const count = z.int().nonnegative().optional();

export const session = z.object({ did, handle: z.string() });

export const profile = z.object({
  displayName: z.string().optional(),
  avatar: z.string().optional(),
  followersCount: count,
});

export const resolvedHandle = z.object({ did });

export const serverDescription = z.object({ blobUploadLimit: z.int().positive().optional() });

/** How a record references an uploaded file. */
export const blobRef = z.object({
  $type: z.literal('blob'),
  ref: z.object({ $link: z.string().min(1) }),
  mimeType: z.string(),
  size: z.int().positive(),
});
export type BlobRef = z.infer<typeof blobRef>;

export const uploadedBlob = z.object({ blob: blobRef });

export const writtenRecord = z.object({ uri: atUri, cid: z.string().min(1) });

export const storedRecord = z.object({
  uri: atUri,
  cid: z.string().min(1),
  value: z.object({ text: z.string(), createdAt: z.string() }),
});

const postView = z.object({
  uri: atUri,
  likeCount: count,
  replyCount: count,
  repostCount: count,
  quoteCount: count,
});
export type PostView = z.infer<typeof postView>;

export const postViews = z.object({ posts: z.array(postView) });

/** A page of the posts of an account. A repost, and a pinned post, has a reason. */
export const authorFeed = z.object({
  cursor: z.string().optional(),
  feed: z.array(
    z.object({
      post: postView.extend({
        author: z.object({ did }),
        record: z.object({ text: z.string(), createdAt: z.string(), reply: z.unknown().optional() }),
        indexedAt: z.string(),
      }),
      reason: z.unknown().optional(),
    }),
  ),
});
