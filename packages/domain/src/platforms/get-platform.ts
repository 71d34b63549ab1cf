import type { Call } from '../call.js';
import { notFound } from '../failure.js';
import type { ReadPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { platformFacts, type PlatformFacts } from './list-platforms.js';

export interface GetPlatform {
  readonly id: string;
}

export function getPlatform(
  ports: Pick<ReadPorts, 'manifests'>,
  _call: Call,
  { id }: GetPlatform,
): Promise<Result<PlatformFacts, 'platform.not_found'>> {
  const manifest = ports.manifests.find(id);
  return Promise.resolve(manifest ? ok(platformFacts(ports, manifest)) : notFound('platform'));
}
