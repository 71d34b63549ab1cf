import type { WorkspaceId } from '../ids.js';
import type { LinkCard } from './platform.js';

/** What pages say of themselves, for platforms that show a link as a card. */
export interface LinkPreviews {
  /**
   * The page's own title, description and picture (Open Graph, Twitter, or plain HTML), cleaned and short. Null when it says nothing,
   * cannot be reached from here, or takes longer than some seconds: it never fails, since a post goes out without it too. The picture
   * waits for the workspace's turn, and is left out where that does not come in time.
   */
  find(url: string, turn: LinkPreviewContext): Promise<LinkCard | null>;
}

export interface LinkPreviewContext {
  readonly workspaceId: WorkspaceId;
  readonly signal: AbortSignal;
}
