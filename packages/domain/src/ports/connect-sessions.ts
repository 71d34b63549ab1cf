import type { ConnectFlow, ConnectSession } from '../connections/connect-session.js';
import type { ConnectSessionId, WorkspaceId } from '../ids.js';

/** Runs of the hosted flow and the trips to platforms that they began. */
export interface ConnectSessions {
  find(workspaceId: WorkspaceId, id: ConnectSessionId): Promise<ConnectSession | null>;
  /** By the hash of the token in the hosted URL. */
  findByToken(tokenHash: Uint8Array): Promise<ConnectSession | null>;
  insert(session: ConnectSession): Promise<void>;
  /** Only while it is pending: null when it has ended already, so that an ending is written once. */
  end(
    id: ConnectSessionId,
    ending: Pick<ConnectSession, 'status' | 'error' | 'connectionIds'>,
  ): Promise<ConnectSession | null>;
  /** A new trip replaces the session's earlier unfinished trips to the same platform from the same browser. */
  insertFlow(flow: ConnectFlow): Promise<void>;
  /** Takes a trip by its state, once, and only for the browser that began it, before it expires. Null otherwise. */
  consumeFlow(stateHash: Uint8Array, browserHash: Uint8Array): Promise<ConnectFlow | null>;
}
