import type { Problem, MediaKind, PartDraft, Publishing } from '@switchboard/platform-kit';
import { utf16Units } from '@switchboard/platform-kit/counting/utf16-units';
import { optionReader } from '@switchboard/platform-kit/read-options';
import { appendLink } from '@switchboard/platform-kit/append-link';
import { CAPTION_MAX, TITLE_MAX, options } from './manifest.js';

export const optionsOf = optionReader(options);

const VIDEO_OPTIONS = ['disable_duet', 'disable_stitch', 'is_aigc', 'video_cover_timestamp_ms'];
const PHOTO_OPTIONS = ['auto_add_music'];

export const rules = {
  count: utf16Units,
  finalText: appendLink,
  check: (draft) => [...titleProblems(draft), ...textProblems(draft), ...optionProblems(draft)],
} satisfies Partial<Publishing>;

const hasMedia = ({ media = [] }: PartDraft, requested: MediaKind): boolean =>
  media.some(({ kind }) => kind === requested);
const isVideo = (draft: PartDraft): boolean => hasMedia(draft, 'video');

function titleProblems(draft: PartDraft): Problem[] {
  if (draft.title === null) return [];
  const problem = (message: string): Problem[] => [{ path: 'title', code: 'option.invalid', message }];
  if (isVideo(draft)) return problem('A TikTok video has no title; the text is its caption.');
  const used = utf16Units(draft.title);
  return used > TITLE_MAX
    ? problem(`The title may have ${TITLE_MAX} UTF-16 units; this one has ${used}.`)
    : [];
}

function textProblems(draft: PartDraft): Problem[] {
  const used = utf16Units(appendLink(draft));
  if (!isVideo(draft) || used <= CAPTION_MAX) return [];
  const message = `TikTok allows ${CAPTION_MAX} UTF-16 units with a video; this text has ${used}.`;
  return [{ path: 'text', code: 'text.too_long', message }];
}

function optionProblems(draft: PartDraft): Problem[] {
  const problem = (name: string, message: string): Problem => ({
    path: `options.${name}`,
    code: 'option.invalid',
    message,
  });
  const others = isVideo(draft) ? PHOTO_OPTIONS : hasMedia(draft, 'image') ? VIDEO_OPTIONS : [];
  const provided = (name: string) => draft.options[name] !== undefined && draft.options[name] !== false;
  const cover = draft.options['video_cover_timestamp_ms'];
  const { brand_content_toggle: isPaid, privacy_level: privacy } = optionsOf(draft);
  return [
    ...others
      .filter(provided)
      .map((name) => problem(name, `This option applies to ${isVideo(draft) ? 'photos' : 'videos'} only.`)),
    ...(typeof cover === 'string' && !/^\d+$/.test(cover)
      ? [problem('video_cover_timestamp_ms', 'Use a number of milliseconds, such as 1500.')]
      : []),
    ...(isPaid && privacy === 'SELF_ONLY'
      ? [problem('brand_content_toggle', 'A paid partnership cannot use `SELF_ONLY`.')]
      : []),
  ];
}
