import type { PublishItem } from '@switchboard/platform-kit';
import { containsLink } from '@switchboard/platform-kit/append-link';
import { normalizeText } from '@switchboard/platform-kit/normalize-text';

/** An image in the library of the site. */
export interface LibraryImage {
  readonly id: string;
  readonly url: string;
  readonly altText: string | null;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** The text is not HTML: what it contains is shown, and nothing of it is executed. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (one) => entities[one] ?? one);

/** In a post a site also executes shortcodes, such as `[gallery]`. WordPress itself writes a bracket like this. */
const escapePostText = (text: string): string => escapeHtml(text).replaceAll('[', '&#091;');

const isOwnParagraph = (text: string, link: string | null): link is string =>
  link !== null && !containsLink(text, link);

/** The text as readers see it. */
export const textWithLink = ({ text, link }: Pick<PublishItem, 'text' | 'link'>): string =>
  isOwnParagraph(text, link) ? [text, link].filter((one) => one !== '').join('\n\n') : text;

const block = (name: string, attributes: string, html: string) =>
  `<!-- wp:${name}${attributes} -->\n${html}\n<!-- /wp:${name} -->`;

export const imageBlock = ({ id, url, altText }: LibraryImage): string =>
  block(
    'image',
    ` {"id":${id}}`,
    `<figure class="wp-block-image"><img src="${escapeHtml(url)}" alt="${escapeHtml(altText ?? '')}" class="wp-image-${id}"/></figure>`,
  );

export const imageBlocksOf = (content: string): readonly string[] =>
  content.match(/<!-- wp:image [^]*?<!-- \/wp:image -->/g) ?? [];

/** Whether a site stores this, apart from what it normalizes. */
export const isSame = (stored: string, own: string): boolean => normalizeText(stored) === normalizeText(own);

/** The content of a post in the format of the block editor: its images, its paragraphs, its link. */
export function contentOf(
  { text, link }: Pick<PublishItem, 'text' | 'link'>,
  imageBlocks: readonly string[],
): string {
  const paragraphs = text === '' ? [] : text.split('\n\n');
  const own = isOwnParagraph(text, link) ? escapePostText(link) : null;
  return [
    ...imageBlocks,
    ...paragraphs.map((one) =>
      block('paragraph', '', `<p>${escapePostText(one).replaceAll('\n', '<br>')}</p>`),
    ),
    ...(own === null ? [] : [block('paragraph', '', `<p><a href="${own}">${own}</a></p>`)]),
  ].join('\n\n');
}
