import type { Call } from '../call.js';
import type { ReadPorts } from '../ports/index.js';
import type { Result } from '../result.js';
import { findReachableMedia } from './find-media.js';
import type { Media } from './media.js';

interface GetMedia {
  readonly id: string;
}

export function getMedia(
  ports: Pick<ReadPorts, 'media'>,
  call: Call,
  { id }: GetMedia,
): Promise<Result<Media, 'media.not_found'>> {
  return findReachableMedia(ports, call, id);
}
