import type { AttentionKind } from '../attention/attention.js';
import type { WorkspaceId } from '../ids.js';

/**
 * The attention items that a person dismissed. An item is an occurrence of its cause; those of a connection's health are
 * forgotten when its status or the reason of it changes.
 */
export interface Dismissals {
  /** Those of these items that were dismissed. */
  list(workspaceId: WorkspaceId, itemIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Dismissing an item again changes nothing. */
  insert(dismissal: Dismissal): Promise<void>;
}

export interface Dismissal {
  readonly workspaceId: WorkspaceId;
  readonly itemId: string;
  readonly kind: AttentionKind;
  /** The id of the object that the item is about. */
  readonly object: string;
  /** The actor (`actorName`). */
  readonly by: string;
}
