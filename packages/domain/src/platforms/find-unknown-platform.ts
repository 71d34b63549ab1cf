import { findClosestName } from '../find-closest-name.js';
import { notFound } from '../failure.js';
import type { Manifests } from '../ports/manifest.js';
import type { Refusal } from '../result.js';

/** Null when every id is that of a platform; otherwise the failure, with the id that was probably meant. */
export function findUnknownPlatform(
  manifests: Pick<Manifests, 'find' | 'list'>,
  ids: readonly string[],
): Refusal<'platform.not_found'> | null {
  const unknown = ids.find((id) => manifests.find(id) === null);
  if (unknown === undefined) return null;
  const refusal = notFound('platform');
  const meant = findClosestName(
    unknown,
    manifests.list().map(({ id }) => id),
  );
  if (meant === null) return refusal;
  return {
    ...refusal,
    failure: { ...refusal.failure, message: `${refusal.failure.message} Did you mean ${meant}?` },
  };
}
