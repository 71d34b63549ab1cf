/** The failures of a requested post, whether it is created, updated or only validated. */
export const draftFailures = [
  'profile.not_found',
  'connection.not_found',
  'platform.not_found',
  'media.not_found',
  'media.failed',
  'media.url_invalid',
  'post.profile_required',
  'post.target_ambiguous',
  'post.no_targets',
  'post.timezone_required',
  'post.queue_empty',
  'post.time_past',
  'post.time_too_far',
  'post.time_nonexistent',
  'post.time_ambiguous',
] as const;
