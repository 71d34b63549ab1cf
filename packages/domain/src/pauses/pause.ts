/** Why something is paused: a person or a program requested it, or the service itself found a reason. */
export const pauseCauses = [
  'requested',
  'restored_backup',
  'moved',
  'moved_away',
  'changed_public_url',
] as const;
export type PauseCause = (typeof pauseCauses)[number];

/** What a pause applies to, the widest first: what is wider holds what is in it. */
export const pauseScopes = ['installation', 'profile', 'connection'] as const;
export type PauseScope = (typeof pauseScopes)[number];

/** While a pause lasts, no post and no refund is sent to a platform. */
export interface Pause {
  readonly cause: PauseCause;
  /** In the words of the one who paused it. */
  readonly reason: string | null;
  /** The actor (`actorName`). */
  readonly by: string;
  readonly at: Date;
}

export const REASON_MAX = 500;

/**
 * Causes after which another installation may have sent what is due here: a backup ends before the installation that
 * it was taken of, a database that was moved away has a successor, and a copy of a database runs beside its original.
 */
export const doubtfulCauses: readonly PauseCause[] = ['restored_backup', 'moved_away', 'changed_public_url'];

/** Whether what is overdue may have been sent by another installation, so that it is read back before it is sent. */
export const mayHaveSentElsewhere = ({ cause }: Pick<Pause, 'cause'>): boolean =>
  doubtfulCauses.includes(cause);

/**
 * The pause after another request to pause. What is paused stays paused since then; a doubt is never replaced by a
 * cause without one, and a person may change their own reason.
 */
export function repeatPause(current: Pause | null, requested: Pause): Pause {
  if (current === null) return requested;
  if (mayHaveSentElsewhere(requested) && !mayHaveSentElsewhere(current)) return requested;
  const isTheirs = current.cause === 'requested' && requested.cause === 'requested';
  return isTheirs && requested.reason !== null ? { ...current, reason: requested.reason } : current;
}
