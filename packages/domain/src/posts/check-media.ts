import type { MediaRules } from '../connections/connection.js';
import type { Problem } from '../failure.js';
import { kindOfMedia, type MediaFacts, type MediaKind } from '../media/media.js';

/**
 * The properties of media to validate: those of unprocessed media are unknown, or known in part, and it is
 * validated again when it is ready.
 */
interface CheckableMedia {
  readonly altText: string | null;
  readonly file: MediaFacts | null;
}

interface MediaTarget {
  /** The platform's name. */
  readonly name: string;
  readonly rules: MediaRules | null;
}

/**
 * The problems of one part's media at its platform. A still image that is only too large is resized and
 * causes no problem.
 */
export function checkMedia(
  { name, rules }: MediaTarget,
  media: readonly CheckableMedia[],
): readonly Problem[] {
  if (!rules) {
    const problem: Problem = {
      path: 'media',
      code: 'media.type_unsupported',
      message: `${name} does not support media.`,
    };
    return media.length > 0 ? [problem] : [];
  }
  const countOf = (kind: MediaKind) =>
    media.filter(({ file }) => file && kindOfMedia(file.type) === kind).length;
  const [images, videos, documents] = [countOf('image'), countOf('video'), countOf('document')];
  const tooMany = (what: string): Problem => ({
    path: 'media',
    code: 'media.too_many',
    message: `${name} allows ${what}.`,
  });
  const counts: readonly Problem[] = [
    ...(media.length > rules.max ? [tooMany(`${rules.max} media; this post has ${media.length}`)] : []),
    ...(rules.images && images > rules.images.max
      ? [tooMany(`${rules.images.max} images; this post has ${images}`)]
      : []),
    ...(rules.videos && videos > rules.videos.max
      ? [tooMany(`${rules.videos.max} videos; this post has ${videos}`)]
      : []),
    ...(rules.documents && documents > rules.documents.max
      ? [tooMany(`${rules.documents.max} documents; this post has ${documents}`)]
      : []),
    ...(!rules.mixed && images > 0 && videos > 0 ? [tooMany('images or a video, not both')] : []),
    ...(rules.documents && documents > 0 && images + videos > 0
      ? [tooMany('a document alone, without images or videos')]
      : []),
  ];
  // Unprocessed media may be the video.
  const isCoverWithoutVideo =
    rules.images?.coverOnly && images > 0 && videos === 0 && media.every(({ file }) => file);
  const message = `${name} uses an image only as the cover of a video: add the video.`;
  // One message is sufficient: exceeding the total implies exceeding the limit of a kind.
  return [
    ...counts.slice(0, 1),
    ...(isCoverWithoutVideo ? [{ path: 'media', code: 'media.required', message } as const] : []),
    ...media.flatMap((one, index) => checkOne(name, rules, one, `media.${index}`)),
  ];
}

function checkOne(
  name: string,
  rules: MediaRules,
  { altText, file }: CheckableMedia,
  path: string,
): Problem[] {
  const problems: Problem[] = [];
  const add = (code: Problem['code'], message: string) =>
    problems.push({ path, code, message: `${name} allows ${message}.` });
  if (rules.altTextMax !== null && (altText?.length ?? 0) > rules.altTextMax) {
    add(
      'media.alt_text_too_long',
      `an alternative text of ${rules.altTextMax} characters; this one has ${altText?.length}`,
    );
  }
  if (!file) return problems;
  switch (kindOfMedia(file.type)) {
    case 'image':
      checkImage(rules.images, file, add);
      break;
    case 'video':
      checkVideo(rules.videos, file, add);
      break;
    case 'document':
      checkDocument(rules.documents, file, add);
  }
  return problems;
}

type AddProblem = (code: Problem['code'], message: string) => void;

function checkImage(rule: MediaRules['images'], file: MediaFacts, add: AddProblem): void {
  if (!rule) return add('media.type_unsupported', 'no images');
  const { minAspectRatio = 0, maxAspectRatio = Infinity } = rule;
  const ratio = file.width === null || file.height === null ? null : file.width / file.height;
  if (ratio !== null && (ratio < minAspectRatio || ratio > maxAspectRatio)) {
    const shape = `width by height from ${minAspectRatio} to ${maxAspectRatio}; this image has ${ratio.toFixed(2)}`;
    add('media.aspect_ratio_unsupported', `images of ${shape}`);
  }
  // Converting an animation would reduce it to a still image.
  if (!file.animated) return;
  if (!rule.types.includes(file.type)) add('media.type_unsupported', `no animated ${file.type}`);
  else checkSize('animated images', rule.maxBytes, file, add);
}

function checkVideo(rule: MediaRules['videos'], file: MediaFacts, add: AddProblem): void {
  if (!rule) return add('media.type_unsupported', 'no videos');
  const { minSeconds = 0, maxSeconds = Infinity } = rule;
  const seconds = file.durationSeconds;
  if (!rule.types.includes(file.type))
    add('media.type_unsupported', `videos of ${rule.types.join(', ')}, not ${file.type}`);
  checkSize('videos', rule.maxBytes, file, add);
  if (seconds !== null && (seconds < minSeconds || seconds > maxSeconds)) {
    const most = maxSeconds === Infinity ? '' : ` to ${maxSeconds}`;
    add(
      'media.duration_unsupported',
      `videos of ${minSeconds}${most} seconds; this one has ${seconds.toFixed(1)}`,
    );
  }
}

function checkDocument(rule: MediaRules['documents'], file: MediaFacts, add: AddProblem): void {
  if (!rule) return add('media.type_unsupported', 'no documents');
  if (!rule.types.includes(file.type))
    add('media.type_unsupported', `documents of ${rule.types.join(', ')}, not ${file.type}`);
  checkSize('documents', rule.maxBytes, file, add);
}

function checkSize(what: string, max: number, { bytes }: MediaFacts, add: AddProblem): void {
  if (bytes !== null && bytes > max)
    add('media.too_large', `${what} of ${max} bytes; this file has ${bytes}`);
}
