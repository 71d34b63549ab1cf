import type { Call } from '../call.js';
import { notFound, refuse } from '../failure.js';
import { parseId } from '../ids.js';
import { isFetchable } from '../media/add-media-from-url.js';
import type { MediaProbe } from '../media/probe-media.js';
import { visibleLineage } from '../media/find-media.js';
import type { Media, StoredFile } from '../media/media.js';
import type { ReadPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { DraftMedia, DraftPost } from './draft-post.js';
import type { MediaUse } from './post.js';

/** Media of a post, with its known properties: none while it is unprocessed. */
export interface ResolvedMedia extends MediaUse {
  readonly file: StoredFile | null;
  /** What its URL responded with, where it was fetched for this request. */
  readonly probe?: MediaProbe | undefined;
}

/** The media reference that a post stores. */
export const toMediaUse = ({ mediaId, url, altText }: ResolvedMedia): MediaUse => ({ mediaId, url, altText });

/** Maps each media of a draft to its resolved media; keyed by the draft's own objects. */
export type MediaLookup = (media: readonly DraftMedia[] | undefined) => readonly ResolvedMedia[];

export type ResolveMediaFailureCode =
  | 'media.not_found'
  | 'media.failed'
  | 'media.url_invalid'
  | 'request.invalid';

/** Finds the media of a draft. Media to download gets its id here, and the same URL the same one. */
export async function resolveMedia(
  ports: Pick<ReadPorts, 'media' | 'ids'>,
  call: Call,
  draft: DraftPost,
): Promise<Result<MediaLookup, ResolveMediaFailureCode>> {
  const paths = listMediaPaths(draft);
  const known = await findKnownMedia(ports, call, paths);
  const chosen = new Map<DraftMedia, ResolvedMedia>();
  const fetched = new Map<string, MediaUse['mediaId']>();
  for (const [path, one] of paths) {
    const { mediaId, url, altText } = one;
    if (mediaId !== undefined) {
      const media = known.get(mediaId);
      if (!media) return notFound('media');
      if (media.status === 'failed') return failed(path, media);
      chosen.set(one, {
        mediaId: media.id,
        url: url ?? null,
        altText: altText ?? media.altText,
        file: media.file,
      });
    } else if (url === undefined) return refuseAt('request.invalid', path, 'requires a url or a media_id');
    else if (!isFetchable(url))
      return refuseAt(
        'media.url_invalid',
        path,
        'must begin with https:// and contain no user name or password',
      );
    else {
      const id = fetched.get(url) ?? ports.ids.next('med');
      fetched.set(url, id);
      chosen.set(one, {
        mediaId: id,
        url,
        altText: altText ?? null,
        file: null,
        probe: call.mediaProbes?.get(url),
      });
    }
  }
  return ok((media = []) => media.flatMap((one) => chosen.get(one) ?? []));
}

export const listMediaPaths = ({
  media,
  thread = [],
  targets,
}: Pick<DraftPost, 'media' | 'thread' | 'targets'>): readonly (readonly [string, DraftMedia])[] => {
  const at = (path: string, list: readonly DraftMedia[] = []) =>
    list.map((one, index) => [`${path}.${index}`, one] as const);
  return [
    ...at('media', media),
    ...thread.flatMap((item, index) => at(`thread.${index}.media`, item.media)),
    ...(targets === 'all' ? [] : (targets ?? [])).flatMap((target, index) =>
      at(`targets.${index}.media`, target.media),
    ),
  ];
};

/** Keyed by the id as the caller wrote it; foreign, unreachable and malformed ids are missing. */
async function findKnownMedia(
  { media }: Pick<ReadPorts, 'media'>,
  call: Call,
  paths: readonly (readonly [string, DraftMedia])[],
): Promise<ReadonlyMap<string, Media>> {
  const ids = paths.flatMap(([, { mediaId }]) =>
    mediaId === undefined ? [] : (parseId('med', mediaId) ?? []),
  );
  if (ids.length === 0) return new Map();
  const lineage = visibleLineage(call);
  const found = await media.findMany(call.workspaceId, [...new Set(ids)]);
  return new Map(
    found.filter((one) => lineage === null || lineage === one.lineage).map((one) => [one.id as string, one]),
  );
}

const failed = (path: string, { error }: Media) =>
  refuseAt('media.failed', path, error?.message ?? 'This media cannot be used.');

const refuseAt = <Code extends ResolveMediaFailureCode>(code: Code, path: string, message: string) =>
  refuse(code, `${path}: ${message}.`.replace('..', '.'), { problems: [{ path, code, message }] });
