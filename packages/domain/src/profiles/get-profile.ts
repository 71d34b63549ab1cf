import type { Call } from '../call.js';
import type { ReadPorts } from '../ports/index.js';
import type { Result } from '../result.js';
import { findReachableProfile } from './find-reachable.js';
import type { Profile } from './profile.js';

interface GetProfile {
  readonly id: string;
}

export function getProfile(
  ports: Pick<ReadPorts, 'profiles'>,
  call: Call,
  { id }: GetProfile,
): Promise<Result<Profile, 'profile.not_found'>> {
  return findReachableProfile(ports, call, id);
}
