import type { Problem } from '../failure.js';
import type { RemoteAccount } from '../connections/connection.js';
import type { PartDraft, Manifest, PublishingRules } from '../ports/index.js';
import { kindOfMedia } from '../media/media.js';
import { checkMedia } from './check-media.js';
import type { ResolvedContent } from './resolve-contents.js';

/** The target of a part: the facts and rules of its platform, and the limits of the account's own server. */
export interface PublishTarget {
  readonly manifest: Manifest;
  readonly rules: PublishingRules;
  readonly account: RemoteAccount;
  readonly options: PartDraft['options'];
  /** Whether platforms can download from this installation. */
  readonly isPublic: boolean;
}

/**
 * Validates one part against its platform's limits. `pathOf` maps a field to its path in the caller's
 * request.
 */
export function checkContent(
  { manifest, rules, account, options, isPublic }: PublishTarget,
  content: ResolvedContent,
  pathOf: (path: string) => string,
) {
  const media = content.media.flatMap(({ file }) =>
    file ? [{ ...file, kind: kindOfMedia(file.type) }] : [],
  );
  const draft: PartDraft = { ...content, options, mediaCount: content.media.length, media };
  const finalText = rules.finalText(draft);
  const text = manifest.text && {
    used: rules.count(finalText, account.textLimits),
    max: maxLength(manifest, account, content),
    unit: manifest.text.unit,
  };
  const problems: Problem[] = [];
  const add = (path: string, code: Problem['code'], message: string) =>
    problems.push({ path: pathOf(path), code, message });

  if (text && text.used > text.max) {
    add(
      'text',
      'text.too_long',
      `${manifest.name} allows ${text.max} ${text.unit}; this text has ${text.used}.`,
    );
  }
  const isEmpty = content.text.trim() === '' && content.link === null && content.media.length === 0;
  if (isEmpty && (manifest.text?.required || content.kind !== 'post')) {
    add('text', 'text.required', `${manifest.name} requires a text.`);
  }
  checkTitle(manifest, content, add);
  const mediaRules = account.mediaLimits ?? manifest.media;
  for (const { path, code, message } of checkMedia(
    { name: manifest.name, rules: mediaRules },
    content.media.map(({ altText, file, probe }) => ({
      altText,
      file: file ?? (probe?.kind === 'usable' ? probe.facts : null),
    })),
  )) {
    add(path, code, message);
  }
  const warnings: Problem[] = [];
  for (const [index, { probe }] of content.media.entries()) {
    const path = `media.${index}`;
    if (probe?.kind === 'unusable') add(path, probe.code, probe.message);
    if (probe?.kind === 'unchecked')
      warnings.push({ path: pathOf(path), code: 'media.not_checked', message: NOT_CHECKED });
  }
  if (mediaRules?.required && content.kind === 'post' && content.media.length === 0) {
    const { images } = mediaRules;
    const needed = images && !images.coverOnly ? 'an image or a video' : 'a video';
    add('media', 'media.required', `${manifest.name} requires ${needed}.`);
  }
  const { fetches = false } = mediaRules ?? {};
  const isFetched =
    fetches === 'images' ? media.some(({ kind }) => kind === 'image') : fetches && content.media.length > 0;
  if (isFetched && !isPublic) {
    const what = fetches === 'images' ? 'images' : 'media';
    const message = `${manifest.name} downloads ${what} itself and cannot reach this installation: set SWITCHBOARD_PUBLIC_URL.`;
    add('media', 'media.not_publicly_reachable', message);
  }
  for (const { path, code, message } of rules.check?.(draft, account.textLimits, account.id) ?? []) {
    // Problems of an option are reported once, for the post itself.
    if (content.kind === 'post' || !path.startsWith('options')) add(path, code, message);
  }
  return { finalText, text, cost: rules.cost?.(draft) ?? null, problems, warnings };
}

const NOT_CHECKED =
  'The media could not be fetched in time. It is downloaded in the background and checked before the post is published.';

function maxLength(
  { text, firstComment }: Manifest,
  { textLimits }: RemoteAccount,
  { kind }: ResolvedContent,
) {
  const own = kind === 'comment' ? firstComment?.max : null;
  return own ?? textLimits?.max ?? text?.max ?? 0;
}

function checkTitle(
  { name, title: rule }: Manifest,
  { kind, title }: ResolvedContent,
  add: (path: string, code: Problem['code'], message: string) => void,
): void {
  if (kind !== 'post') return;
  if (title !== null && !rule) add('title', 'option.unknown', `${name} does not support titles.`);
  if (title === null && rule?.required) add('title', 'option.required', `${name} requires a title.`);
  const used = [...(title ?? '')].length;
  if (rule && used > rule.max) {
    add('title', 'option.invalid', `The title may have ${rule.max} ${rule.unit}; this one has ${used}.`);
  }
}
