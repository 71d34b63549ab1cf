import type { Id, IdPrefix } from '../ids.js';

/** Generates new ids: sortable by time, unguessable, unique without coordination. */
export interface Ids {
  next<Prefix extends IdPrefix>(prefix: Prefix): Id<Prefix>;
}
