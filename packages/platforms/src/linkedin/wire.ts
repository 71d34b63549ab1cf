import { z } from 'zod';
import type { ErrorMapping } from '@switchboard/platform-kit/platform-client';
import { manifest } from './manifest.js';

/**
 * `code` was introduced with the versioned API; the number is older, and some responses have neither. Details
 * of another type have another format.
 */
const refusal = z.object({
  message: z.string(),
  code: z.string().nullish().catch(null),
  serviceErrorCode: z.int().nullish().catch(null),
  errorDetails: z
    .object({ inputErrors: z.array(z.object({ code: z.string().nullish() })).nullish() })
    .nullish()
    .catch(null),
});

export const errorMapping: ErrorMapping = {
  name: manifest.name,
  parseError(response) {
    const parsed = refusal.safeParse(response.json);
    if (!parsed.success) return null;
    const { message, code, serviceErrorCode, errorDetails } = parsed.data;
    const [input] = errorDetails?.inputErrors ?? [];
    const stated = input?.code ?? code ?? serviceErrorCode?.toString();
    return { ...(stated !== undefined && { code: stated }), message };
  },
  // Also a 400: posting for a page without the permission for pages.
  classify: ({ status }, { message }) =>
    status === 403 || /\bpermissions? must be used\b/i.test(message)
      ? 'platform.permission_missing'
      : 'platform.refused',
};

const urn = (...kinds: readonly string[]) => z.string().regex(new RegExp(`^urn:li:(?:${kinds.join('|')}):`));
const count = z.int().nullish();

const listOf = <One>(one: z.ZodType<One>) =>
  z.object({
    elements: z.array(one),
    paging: z.object({ links: z.array(z.object({ rel: z.string().nullish() })).nullish() }).nullish(),
  });
export type ListResponse<One> = z.infer<ReturnType<typeof listOf<One>>>;

/** The response header with the URN of a created post. */
export const postUrn = urn('share', 'ugcPost');

/** OpenID Connect's. */
export const userInfo = z.object({
  sub: z.string().min(1),
  name: z.string().nullish(),
  picture: z.string().nullish(),
});

export const profile = z.object({
  id: z.string().min(1),
  localizedFirstName: z.string().nullish(),
  localizedLastName: z.string().nullish(),
  vanityName: z.string().nullish(),
});

/** The role assignee: organizations, and the other entities for which LinkedIn has roles. */
export const roles = listOf(z.object({ organization: z.string(), role: z.string(), state: z.string() }));

export const organization = z.object({
  localizedName: z.string().nullish(),
  vanityName: z.string().nullish(),
});
export type Organization = z.infer<typeof organization>;

export const startedUpload = z.object({
  value: z.object({
    uploadUrl: z.url(),
    image: urn('image').optional(),
    document: urn('document').optional(),
  }),
});
export const startedVideo = z.object({
  value: z.object({
    video: urn('video'),
    uploadToken: z.string().nullish(),
    uploadInstructions: z
      .array(
        z.object({ uploadUrl: z.url(), firstByte: z.int().nonnegative(), lastByte: z.int().nonnegative() }),
      )
      .min(1),
  }),
});
export const asset = z.object({ status: z.string() });

/** https://learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/post-api-schema */
export const postState = z.object({ lifecycleState: z.string().nullish() });

/** Parsed leniently: one unusual post of an account must not hide the others. */
const shown = z.object({ id: z.string().nullish() });
const listed = z.object({
  id: z.string(),
  /** Empty if there is no text. */
  commentary: z.string(),
  createdAt: z.int(),
  lifecycleState: z.string().nullish(),
  visibility: z.string().nullish(),
  isReshareDisabledByAuthor: z.boolean().nullish(),
  /** Of another post. */
  reshareContext: z.unknown().optional(),
  content: z
    .object({
      media: shown.nullish(),
      multiImage: z.object({ images: z.array(shown) }).nullish(),
      article: z.object({ source: z.string().nullish() }).nullish(),
    })
    .nullish(),
});
export type ListedPost = z.infer<typeof listed>;
export const listedPosts = listOf(listed);

const comment = z.object({
  id: z.string().min(1),
  actor: z.string(),
  commentUrn: z.string().nullish(),
  object: urn('activity', 'share', 'ugcPost'),
  message: z.object({ text: z.string() }),
  created: z.object({ time: z.int() }),
});
export const comments = listOf(comment);
export const createdComment = comment.pick({ id: true, commentUrn: true, object: true });
export type CreatedComment = z.infer<typeof createdComment>;

export const shareStatistics = z.object({
  elements: z.array(
    z.object({
      share: z.string().nullish(),
      ugcPost: z.string().nullish(),
      totalShareStatistics: z.object({
        impressionCount: count,
        uniqueImpressionsCount: count,
        likeCount: count,
        commentCount: count,
        shareCount: count,
        clickCount: count,
      }),
    }),
  ),
});
export type ShareStatistics = z.infer<typeof shareStatistics>['elements'][number];
export const memberStatistic = z.object({ elements: z.array(z.object({ count })) });
export const pageFollowers = z.object({ firstDegreeSize: count });
export const memberFollowers = z.object({ elements: z.array(z.object({ memberFollowersCount: count })) });
