export interface Flair {
  readonly id: string;
  readonly text: string;
  readonly editable: boolean;
}

/** The moderators' requirements for a post, by their names in `post_requirements`. */
const noRequirements = {
  title_regexes: [] as readonly string[],
  body_blacklisted_strings: [] as readonly string[],
  body_text_max_length: null as number | null,
  title_required_strings: [] as readonly string[],
  gallery_min_items: null as number | null,
  domain_blacklist: [] as readonly string[],
  domain_whitelist: [] as readonly string[],
  title_text_max_length: null as number | null,
  body_restriction_policy: 'none' as 'none' | 'required' | 'notAllowed',
  link_restriction_policy: 'none' as 'none' | 'blacklist' | 'whitelist',
  body_required_strings: [] as readonly string[],
  title_text_min_length: null as number | null,
  is_flair_required: false,
  gallery_max_items: null as number | null,
  link_repost_age: null as number | null,
  body_text_min_length: null as number | null,
};

const DEFAULTS = {
  type: 'public' as 'public' | 'restricted' | 'private' | 'user',
  /** For a restricted subreddit; otherwise only commenting is restricted. */
  restrictsPosting: true,
  submissionType: 'any' as 'any' | 'link' | 'self',
  allowImages: true,
  allowGalleries: true,
  allowVideos: true,
  spoilers: true,
  flairs: [] as readonly Flair[],
  /** The accounts that subscribed, that moderate, that are approved to post, and that are banned. */
  subscribers: [] as readonly string[],
  moderators: [] as readonly string[],
  contributors: [] as readonly string[],
  banned: [] as readonly string[],
};

export const subredditOf = (
  name: string,
  {
    requirements,
    ...more
  }: Partial<typeof DEFAULTS> & { readonly requirements?: Partial<typeof noRequirements> } = {},
) => ({
  name,
  id: `2${name.length}${name.slice(0, 3)}`,
  ...DEFAULTS,
  ...more,
  requirements: { ...noRequirements, ...requirements },
});
export type RedditSubreddit = ReturnType<typeof subredditOf>;

/** Whether only accounts approved by the moderators may post. */
export const isClosed = ({ type, restrictsPosting }: RedditSubreddit): boolean =>
  type === 'private' || (type === 'restricted' && restrictsPosting);

/** The format of `GET /r/{subreddit}/about` and of subreddit lists. */
export const presentSubreddit = (one: RedditSubreddit, viewer: string) => ({
  kind: 't5',
  data: {
    id: one.id,
    name: `t5_${one.id}`,
    display_name: one.name,
    title: one.name,
    url: `/r/${one.name}/`,
    subscribers: 4_210 + one.subscribers.length,
    subreddit_type: one.type,
    submission_type: one.submissionType,
    allow_images: one.allowImages,
    allow_galleries: one.allowGalleries,
    allow_videos: one.allowVideos,
    spoilers_enabled: one.spoilers,
    restrict_posting: isClosed(one),
    link_flair_enabled: one.flairs.length > 0,
    user_is_banned: one.banned.includes(viewer),
    user_is_contributor: one.contributors.includes(viewer),
    user_is_moderator: one.moderators.includes(viewer),
  },
});

/** The format of `GET /r/{subreddit}/api/link_flair_v2`. */
export const presentFlair = ({ id, text }: Flair) => ({
  type: 'text',
  text,
  id,
});
