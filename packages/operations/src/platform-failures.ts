/** The failures of every operation that calls a platform. */
export const platformFailures = [
  'connection.needs_reauth',
  'platform.address_refused',
  'platform.invalid_response',
  'platform.not_configured',
  'platform.outcome_unknown',
  'platform.permission_missing',
  'platform.rate_limited',
  'platform.refused',
  'platform.unavailable',
] as const;
