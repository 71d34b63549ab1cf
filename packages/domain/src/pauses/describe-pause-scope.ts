import type { PauseScope } from './pause.js';

const descriptions: Readonly<Record<PauseScope, string>> = {
  installation: 'the whole installation',
  profile: 'its profile',
  connection: 'the account',
};

/** "its profile", of a post or a refund. */
export const describePauseScope = (scope: PauseScope): string => descriptions[scope];
