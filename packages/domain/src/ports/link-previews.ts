import type { WorkspaceId } from '../ids.js';
import type { LinkCard } from './publishing.js';

/** Reads the metadata of web pages, for platforms that show a link as a card. */
export interface LinkPreviews {
  /**
   * The page's own title, description and image (Open Graph, Twitter, or plain HTML), sanitized and
   * truncated. Null when it has none, is unreachable, or times out: it never fails, since a post is published
   * without a card too. The image waits for the workspace's turn, and is omitted on timeout.
   */
  find(url: string, turn: LinkPreviewContext): Promise<LinkCard | null>;
}

export interface LinkPreviewContext {
  readonly workspaceId: WorkspaceId;
  readonly signal: AbortSignal;
}
