import { childrenOf, type NewContainer } from '../meta/container-store.js';
import { badParameter, graphRefusal } from '../meta/graph.js';
import { parseFetchedFile, type FetchFile } from '../meta/fetched-file.js';
import type { WireResponse } from '../wire/exchange.js';

type ContainerFields = Readonly<Record<string, string>>;

const CAPTION = { max: 2_200, hashtags: 30, mentions: 20 };
const ALT_TEXT_MAX = 1_000;
const IMAGE_BYTES_MAX = 8 * 1_048_576;
const RATIO = { min: 4 / 5, max: 1.91 };
const CHILDREN = { min: 2, max: 10 };

const refusal = (code: number, subcode: number, message: string, forPeople: string) =>
  graphRefusal({ code, subcode, message, forPeople });

/**
 * https://developers.facebook.com/documentation/instagram-platform/instagram-graph-api/reference/ig-user/media
 * and …/error-codes
 */
export async function readContainer(
  fields: ContainerFields,
  fetchFile: FetchFile,
): Promise<NewContainer | WireResponse> {
  const {
    media_type: type,
    caption = '',
    alt_text: altText = '',
    image_url: image,
    video_url: video,
  } = fields;
  if (isCaptionTooLong(caption)) {
    return refusal(36_004, 2_207_010, 'The caption is too long', 'The caption was too long.');
  }
  if (altText.length > ALT_TEXT_MAX) return badParameter('Param alt_text is too long');
  if (altText !== '' && (video !== undefined || type === 'STORIES' || type === 'REELS')) {
    return badParameter('Param alt_text is supported for image posts only');
  }
  if (type === 'CAROUSEL') return readCarousel(fields);
  if (image !== undefined) return fetchImage(image, fetchFile, type === 'STORIES');
  if (video === undefined) return badParameter('The parameter image_url or video_url is required');
  if (!['REELS', 'STORIES', 'VIDEO'].includes(type ?? '')) {
    return badParameter('Param media_type must be one of {CAROUSEL, REELS, STORIES, VIDEO}');
  }
  if (type === 'VIDEO' && fields['is_carousel_item'] !== 'true') {
    return badParameter('The VIDEO value for media_type is no longer supported. Use the REELS media type.');
  }
  const content = await fetchFile(video);
  const file = content && parseFetchedFile(content);
  const isVideo = file?.type.startsWith('video/') ?? false;
  return {
    files: file ? [file] : [],
    error: isVideo ? null : 'Error: Media upload has failed with error code 2207052',
  };
}

const isCaptionTooLong = (caption: string): boolean =>
  caption.length > CAPTION.max ||
  (caption.match(/#[\p{L}\p{N}_]+/gu) ?? []).length > CAPTION.hashtags ||
  (caption.match(/@[\w.]+/g) ?? []).length > CAPTION.mentions;

function readCarousel(fields: ContainerFields): NewContainer | WireResponse {
  const many = childrenOf(fields).length;
  return many < CHILDREN.min || many > CHILDREN.max
    ? badParameter(`Carousel must have ${CHILDREN.min} to ${CHILDREN.max} children`)
    : { files: [], error: null };
}

async function fetchImage(
  url: string,
  fetchFile: FetchFile,
  isStory: boolean,
): Promise<NewContainer | WireResponse> {
  const content = await fetchFile(url);
  if (!content) {
    const forPeople = `The media could not be fetched from this URI: ${url}`;
    return refusal(9_004, 2_207_052, 'Only photo or video can be accepted as media type.', forPeople);
  }
  const file = parseFetchedFile(content);
  if (file.type !== 'image/jpeg') {
    return refusal(36_001, 2_207_005, 'The image format is not supported', 'Supported formats are: JPEG');
  }
  if (file.bytes > IMAGE_BYTES_MAX) {
    const forPeople = 'The image is too large to download. It should be less than 8 MiB.';
    return refusal(36_000, 2_207_004, 'The image size is too large.', forPeople);
  }
  const ratio = file.size ? file.size.width / file.size.height : 1;
  if (!isStory && (ratio < RATIO.min || ratio > RATIO.max)) {
    const forPeople = `The submitted image with aspect ratio (${ratio}) cannot be published.`;
    return refusal(36_003, 2_207_009, 'The aspect ratio is not supported.', forPeople);
  }
  return { files: [file], error: null };
}
