import type { Id, IdPrefix } from '../ids.js';

/** Makes new ids: sortable by time, unguessable, unique without asking anybody. */
export interface Ids {
  next<Prefix extends IdPrefix>(prefix: Prefix): Id<Prefix>;
}
