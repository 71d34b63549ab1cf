import { type Call, reachOf } from '../call.js';
import { refuse } from '../failure.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { chooseTimezone, type Metadata, type Profile } from './profile.js';

interface CreateProfile {
  readonly name: string;
  readonly externalId?: string | undefined;
  readonly timezone?: string | undefined;
  readonly metadata?: Metadata | undefined;
}

/** A key restricted to profiles cannot create one: it could not reach it. */
export async function createProfile(
  ports: Pick<AtomicPorts, 'profiles' | 'workspaces' | 'ids' | 'clock'>,
  call: Call,
  command: CreateProfile,
): Promise<Result<Profile, 'key.policy_exceeded'>> {
  if (reachOf(call) !== null) {
    return refuse('key.policy_exceeded', 'This key is restricted to its profiles and cannot create others.');
  }
  const workspace = await ports.workspaces.find(call.workspaceId);
  const profile: Profile = {
    id: ports.ids.next('prf'),
    workspaceId: call.workspaceId,
    name: command.name,
    externalId: command.externalId ?? null,
    ...chooseTimezone(command.timezone, workspace?.defaultTimezone),
    metadata: command.metadata ?? {},
    isDefault: false,
    pause: null,
    createdAt: ports.clock.now(),
    version: 1,
  };
  await ports.profiles.insert(profile);
  return ok(profile);
}
