/** What the home page says after a button was pressed. The address holds only the key: what it says is never echoed. */
export const NOTICES = {
  fault: 'The fault is switched on.',
  cleared: 'The fault is switched off.',
  expired: 'The access tokens have expired.',
  revoked: 'The app was removed from the account.',
  clock: 'The clock was moved.',
  settings: 'The behaviour was changed.',
} as const;
export type ControlNotice = keyof typeof NOTICES;
