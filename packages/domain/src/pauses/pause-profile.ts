import { actorName, type Call } from '../call.js';
import { nextCall } from '../next-call.js';
import type { AtomicPorts } from '../ports/index.js';
import { findReachableProfile } from '../profiles/find-reachable.js';
import type { Profile } from '../profiles/profile.js';
import { ok, type Result } from '../result.js';
import { isStale, preconditionFailed } from '../version.js';
import { repeatPause, type Pause } from './pause.js';

interface PauseProfile {
  readonly id: string;
  readonly reason?: string | undefined;
}

type PauseProfileFailure = 'profile.not_found' | 'request.precondition_failed';

/** Holds the posts and refunds of a profile. Pausing it again changes at most the reason. */
export const pauseProfile = (
  ports: Pick<AtomicPorts, 'pauses' | 'profiles' | 'clock'>,
  call: Call,
  { id, reason }: PauseProfile,
): Promise<Result<Profile, PauseProfileFailure>> =>
  changePause(ports, call, id, (before) =>
    repeatPause(before, {
      cause: 'requested',
      reason: reason ?? null,
      by: actorName(call),
      at: ports.clock.now(),
    }),
  );

/** Sends what was held; what is beyond its `notAfter` becomes missed. */
export const resumeProfile = (
  ports: Pick<AtomicPorts, 'pauses' | 'profiles'>,
  call: Call,
  { id }: Pick<PauseProfile, 'id'>,
): Promise<Result<Profile, PauseProfileFailure>> => changePause(ports, call, id, () => null);

async function changePause(
  ports: Pick<AtomicPorts, 'pauses' | 'profiles'>,
  call: Call,
  id: string,
  change: (before: Pause | null) => Pause | null,
): Promise<Result<Profile, PauseProfileFailure>> {
  await ports.pauses.lock();
  const found = await findReachableProfile(ports, call, id);
  if (!found.ok) return found;
  const before = found.value;
  const stale = () => preconditionFailed('profile', nextCall.getProfile(before.id));
  if (isStale(call, before)) return stale();
  const pause = change(before.pause);
  if (pause === before.pause) return ok(before);
  const updated = await ports.profiles.update(call.workspaceId, before.id, { pause }, before.version);
  return updated ? ok(updated) : stale();
}
