import type { ConnectionId } from '../../src/ids.js';
import type { PauseScope } from '../../src/pauses/pause.js';
import type { InstallationState } from '../../src/ports/index.js';
import type { MemoryState } from './memory-state.js';

export const INSTALLATION = 'installation';
export const stateOf = (state: MemoryState): InstallationState =>
  state.installation.get(INSTALLATION) ?? { pause: null, publicUrl: null };

/** The widest pause that holds a connection. */
export function holdOf(state: MemoryState, id: ConnectionId): PauseScope | null {
  if (stateOf(state).pause) return 'installation';
  const connection = state.connections.get(id);
  if (connection && state.profiles.get(connection.profileId)?.pause) return 'profile';
  return connection?.pause ? 'connection' : null;
}
