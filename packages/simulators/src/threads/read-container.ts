import { childrenOf, type NewContainer } from '../meta/container-store.js';
import { badParameter, graphRefusal } from '../meta/graph.js';
import { type FetchFile, parseFetchedFile } from '../meta/fetched-file.js';
import type { WireResponse } from '../wire/exchange.js';

type ContainerFields = Readonly<Record<string, string>>;

const TEXT_MAX = 500;
const LINKS_MAX = 5;
const ALT_TEXT_MAX = 1_000;
const IMAGE_BYTES_MAX = 8 * 1_048_576;
const CHILDREN = { min: 2, max: 20 };
const AUDIENCES = [
  ...['everyone', 'accounts_you_follow', 'mentioned_only'],
  ...['parent_post_author_only', 'followers_only'],
];

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const EMOJI = /\p{Emoji_Presentation}|\p{Emoji}[\ufe0f\u20e3]/u;

/**
 * "Emojis are counted as the number of UTF-8 bytes":
 * https://developers.facebook.com/documentation/threads/posts
 */
function lengthOf(text: string): number {
  return [...segmenter.segment(text)].reduce(
    (sum, { segment }) => sum + (EMOJI.test(segment) ? Buffer.byteLength(segment) : [...segment].length),
    0,
  );
}

/** https://developers.facebook.com/documentation/threads/reference/publishing */
export async function readContainer(
  fields: ContainerFields,
  fetchFile: FetchFile,
): Promise<NewContainer | WireResponse> {
  const refused = textError(fields) ?? optionError(fields);
  if (refused) return refused;
  switch (fields['media_type']) {
    case 'TEXT':
      if ((fields['text'] ?? '') === '') return badParameter('Param text is required for media type TEXT');
      return { files: [], error: null };
    case 'IMAGE':
      return fetchMedia(fields['image_url'], fetchFile, ['image/jpeg', 'image/png']);
    case 'VIDEO':
      return fetchMedia(fields['video_url'], fetchFile, ['video/mp4', 'video/quicktime']);
    case 'CAROUSEL': {
      const many = childrenOf(fields).length;
      if (many < CHILDREN.min || many > CHILDREN.max) {
        return badParameter(`Param children must have between ${CHILDREN.min} and ${CHILDREN.max} elements`);
      }
      return { files: [], error: null };
    }
    default:
      return badParameter('Param media_type must be one of {TEXT, IMAGE, VIDEO, CAROUSEL}');
  }
}

function textError(fields: ContainerFields): WireResponse | null {
  const { text = '', link_attachment: link } = fields;
  if (lengthOf(text) > TEXT_MAX)
    return badParameter(`Param text must be at most ${TEXT_MAX} characters long.`);
  const links = new Set([...(text.match(/https?:\/\/\S+/g) ?? []), ...(link === undefined ? [] : [link])]);
  if (links.size > LINKS_MAX) {
    return graphRefusal({ message: 'THREADS_API__LINK_LIMIT_EXCEEDED', code: 100, subcode: 4_279_060 });
  }
  if (link !== undefined && fields['media_type'] !== 'TEXT') {
    return badParameter('Param link_attachment can only be used for text-only posts');
  }
  return null;
}

function optionError(fields: ContainerFields): WireResponse | null {
  const { reply_control: audience, topic_tag: topic, alt_text: altText = '' } = fields;
  if (audience !== undefined && !AUDIENCES.includes(audience)) {
    return badParameter(`Param reply_control must be one of {${AUDIENCES.join(', ')}}`);
  }
  if (topic !== undefined && !/^[^.&]{1,50}$/u.test(topic)) return badParameter('Param topic_tag is invalid');
  if (altText.length > ALT_TEXT_MAX)
    return badParameter('Param alt_text must be at most 1000 characters long.');
  return null;
}

/** Media that cannot be fetched or decoded creates a container in the error state. */
async function fetchMedia(
  url: string | undefined,
  fetchFile: FetchFile,
  types: readonly string[],
): Promise<NewContainer | WireResponse> {
  if (url === undefined || !URL.canParse(url)) return badParameter('The URL of the media is required');
  const content = await fetchFile(url);
  if (!content) return { files: [], error: 'FAILED_DOWNLOADING_VIDEO' };
  const file = parseFetchedFile(content);
  const isTooLarge = file.type.startsWith('image/') && file.bytes > IMAGE_BYTES_MAX;
  return { files: [file], error: isTooLarge || !types.includes(file.type) ? 'UNKNOWN' : null };
}
