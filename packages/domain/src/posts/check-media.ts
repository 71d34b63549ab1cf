import type { MediaRules } from '../connections/connection.js';
import type { Problem } from '../failure.js';
import { kindOfMedia, type MediaKind, type StoredFile } from '../media/media.js';

/** What is to be judged of media: what is on its way has no file yet and is judged again when it is there. */
export interface CheckableMedia {
  readonly altText: string | null;
  readonly file: StoredFile | null;
}

interface MediaTarget {
  /** The platform's name. */
  readonly name: string;
  readonly rules: MediaRules | null;
}

/** What of the media of one part its platform does not take. A still image that is only too large is made to fit and no problem. */
export function checkMedia(
  { name, rules }: MediaTarget,
  media: readonly CheckableMedia[],
): readonly Problem[] {
  if (!rules) {
    const problem = { path: 'media', code: 'media.type_unsupported', message: `${name} takes no media.` };
    return media.length > 0 ? [problem] : [];
  }
  const countOf = (kind: MediaKind) =>
    media.filter(({ file }) => file && kindOfMedia(file.type) === kind).length;
  const [images, videos, documents] = [countOf('image'), countOf('video'), countOf('document')];
  const tooMany = (what: string) => ({
    path: 'media',
    code: 'media.too_many',
    message: `${name} takes ${what}.`,
  });
  const counts = [
    ...(media.length > rules.max ? [tooMany(`${rules.max} media, these are ${media.length}`)] : []),
    ...(rules.images && images > rules.images.max
      ? [tooMany(`${rules.images.max} images, these are ${images}`)]
      : []),
    ...(rules.videos && videos > rules.videos.max
      ? [tooMany(`${rules.videos.max} videos, these are ${videos}`)]
      : []),
    ...(rules.documents && documents > rules.documents.max
      ? [tooMany(`${rules.documents.max} documents, these are ${documents}`)]
      : []),
    ...(!rules.mixed && images > 0 && videos > 0 ? [tooMany('images or a video, not both')] : []),
    ...(rules.documents && documents > 0 && images + videos > 0
      ? [tooMany('a document alone, without images or videos')]
      : []),
  ];
  // What is on its way may be the film.
  const isCoverWithoutVideo =
    rules.images?.coverOnly && images > 0 && videos === 0 && media.every(({ file }) => file);
  const message = `${name} takes an image as the cover of a video, and needs the video beside it.`;
  // One sentence is enough: more than all are also more than of their kind.
  return [
    ...counts.slice(0, 1),
    ...(isCoverWithoutVideo ? [{ path: 'media', code: 'media.required', message }] : []),
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
  const add = (code: string, message: string) =>
    problems.push({ path, code, message: `${name} takes ${message}.` });
  if (rules.altTextMax !== null && (altText?.length ?? 0) > rules.altTextMax) {
    add(
      'media.alt_text_too_long',
      `an alternative text of ${rules.altTextMax} characters, this has ${altText?.length}`,
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

type AddProblem = (code: string, message: string) => void;

function checkImage(rule: MediaRules['images'], file: StoredFile, add: AddProblem): void {
  if (!rule) return add('media.type_unsupported', 'no images');
  const { minAspectRatio = 0, maxAspectRatio = Infinity } = rule;
  const ratio = (file.width ?? 0) / (file.height ?? 1);
  if (ratio < minAspectRatio || ratio > maxAspectRatio) {
    const shape = `width by height from ${minAspectRatio} to ${maxAspectRatio}, this has ${ratio.toFixed(2)}`;
    add('media.aspect_ratio_unsupported', `images of ${shape}`);
  }
  // What moves cannot be converted without being stilled.
  if (!file.animated) return;
  if (!rule.types.includes(file.type)) add('media.type_unsupported', `no animated ${file.type}`);
  else if (file.bytes > rule.maxBytes)
    add('media.too_large', tooLarge('animated images', rule.maxBytes, file.bytes));
}

function checkVideo(rule: MediaRules['videos'], file: StoredFile, add: AddProblem): void {
  if (!rule) return add('media.type_unsupported', 'no videos');
  const { minSeconds = 0, maxSeconds = Infinity } = rule;
  const seconds = file.durationSeconds ?? 0;
  if (!rule.types.includes(file.type))
    add('media.type_unsupported', `videos of ${rule.types.join(', ')}, not ${file.type}`);
  if (file.bytes > rule.maxBytes) add('media.too_large', tooLarge('videos', rule.maxBytes, file.bytes));
  if (seconds < minSeconds || seconds > maxSeconds) {
    const most = maxSeconds === Infinity ? '' : ` to ${maxSeconds}`;
    add(
      'media.duration_unsupported',
      `videos of ${minSeconds}${most} seconds, this has ${seconds.toFixed(1)}`,
    );
  }
}

function checkDocument(rule: MediaRules['documents'], file: StoredFile, add: AddProblem): void {
  if (!rule) return add('media.type_unsupported', 'no documents');
  if (!rule.types.includes(file.type))
    add('media.type_unsupported', `documents of ${rule.types.join(', ')}, not ${file.type}`);
  if (file.bytes > rule.maxBytes) add('media.too_large', tooLarge('documents', rule.maxBytes, file.bytes));
}

const tooLarge = (what: string, max: number, bytes: number) => `${what} of ${max} bytes, this has ${bytes}`;
