/**
 * The notices of the home page after a form submission. The URL contains only the key, so its text is never
 * echoed.
 */
export const NOTICES = {
  fault: 'The fault is enabled.',
  cleared: 'The fault is disabled.',
  expired: 'The access tokens have expired.',
  revoked: 'The app was removed from the account.',
  clock: 'The clock was moved.',
  settings: 'The behavior was changed.',
} as const;
export type ControlNotice = keyof typeof NOTICES;
