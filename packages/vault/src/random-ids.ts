import { randomBytes } from 'node:crypto';
import { formatId, type Clock, type Ids } from '@switchboard/domain';

export const randomIds = (clock: Pick<Clock, 'now'>): Ids => ({
  next: (prefix) => formatId(prefix, clock.now().getTime(), randomBytes(10)),
});
