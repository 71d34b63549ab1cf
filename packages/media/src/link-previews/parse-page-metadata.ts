import { Parser } from 'htmlparser2';

/** The metadata names, best first: Open Graph, Twitter, plain HTML. */
const metaNames = {
  title: ['og:title', 'twitter:title'],
  description: ['og:description', 'twitter:description', 'description'],
  image: ['og:image:secure_url', 'og:image:url', 'og:image', 'twitter:image', 'twitter:image:src'],
};

/** Metadata is never nested this deep, and a parser that tracks every open element becomes slow. */
const DEPTH_MAX = 200;
const PIECE_LETTERS = 16_384;

/**
 * Parses as much of a page as there is: a truncated or malformed page yields the metadata before the defect.
 */
export function parsePageMetadata(html: string) {
  const metaContents = new Map<string, string>();
  let base: string | null = null;
  let title: string | null = null;
  let isInTitle = false;
  let depth = 0;
  const parser = new Parser({
    onopentag(tag, attributes) {
      depth++;
      if (tag === 'title' && title === null) {
        isInTitle = true;
        title = '';
      }
      if (tag === 'base') base ??= attributes['href'] ?? null;
      if (tag !== 'meta') return;
      const name = (attributes['property'] ?? attributes['name'])?.toLowerCase();
      const content = attributes['content']?.trim();
      // Several images may be named. The first one is used.
      if (name !== undefined && content && !metaContents.has(name)) metaContents.set(name, content);
    },
    ontext(text) {
      if (isInTitle) title += text;
    },
    onclosetag(tag) {
      depth--;
      if (tag === 'title') isInTitle = false;
    },
  });
  for (let at = 0; at < html.length && depth <= DEPTH_MAX; at += PIECE_LETTERS) {
    parser.write(html.slice(at, at + PIECE_LETTERS));
  }
  const findFirst = (wanted: readonly string[]) =>
    wanted.map((name) => metaContents.get(name)).find((value) => value !== undefined) ?? null;
  return {
    title: findFirst(metaNames.title) ?? title,
    description: findFirst(metaNames.description),
    image: findFirst(metaNames.image),
    /** The base of relative URLs, where it differs from the page. */
    base,
  };
}

/** The metadata of a page, unmodified. URLs are not resolved yet. */
export type PageMetadata = ReturnType<typeof parsePageMetadata>;
