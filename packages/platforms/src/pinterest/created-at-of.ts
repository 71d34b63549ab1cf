import type { ListedPin } from './wire.js';

/** UTC, without a time zone designator. */
export const createdAtOf = ({ created_at: time }: Pick<ListedPin, 'created_at'>): string =>
  /(?:Z|[+-]\d\d:?\d\d)$/.test(time) ? time : `${time}Z`;
