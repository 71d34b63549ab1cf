import type { LinkCard } from './platform.js';

/** What pages say of themselves, for platforms that show a link as a card. */
export interface LinkPreviews {
  /**
   * The page's own title, description and picture (Open Graph, Twitter, or plain HTML), cleaned and short. Null when it says nothing,
   * cannot be reached from here, or takes longer than some seconds: it never fails, since a post goes out without it too.
   */
  find(url: string, signal: AbortSignal): Promise<LinkCard | null>;
}
