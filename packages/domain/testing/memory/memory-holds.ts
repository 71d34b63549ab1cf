import type { ConnectionId } from '../../src/ids.js';
import type { PauseScope } from '../../src/pauses/pause.js';
import type { InstallationState } from '../../src/ports/index.js';
import type { MemoryState } from './memory-state.js';

export const INSTALLATION = 'installation';
export const stateOf = (state: MemoryState): InstallationState =>
  state.installation.get(INSTALLATION) ?? { pause: null, publicUrl: null, timeline: null, promotion: null };

export function holdOf(state: MemoryState, id: ConnectionId): PauseScope | null {
  if (stateOf(state).pause) return 'installation';
  const connection = state.connections.get(id);
  if (connection && state.profiles.get(connection.profileId)?.pause) return 'profile';
  return connection?.pause ? 'connection' : null;
}

/** This storage has only one history; a test that records another one simulates that it was lost. */
export const TIMELINE = 'memory';

/** Whether nothing may be sent through a connection: it is paused, or what waits may have been sent in a lost history. */
export const isHeld = (state: MemoryState, id: ConnectionId): boolean =>
  ![null, TIMELINE].includes(stateOf(state).timeline) || holdOf(state, id) !== null;
