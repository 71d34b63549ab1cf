import type { ConnectChoice, ConnectFlow, ConnectSession } from '../connections/connect-session.js';
import type { ConnectChoiceId, ConnectionId, ConnectSessionId, WorkspaceId } from '../ids.js';

/** Runs of the hosted flow and the trips to platforms that they began. */
export interface ConnectSessions {
  find(workspaceId: WorkspaceId, id: ConnectSessionId): Promise<ConnectSession | null>;
  /** By the hash of the token in the hosted URL. */
  findByToken(tokenHash: Uint8Array): Promise<ConnectSession | null>;
  insert(session: ConnectSession): Promise<void>;
  /** Reads it and makes everybody else who locks or changes it wait until the transaction ends. */
  lock(workspaceId: WorkspaceId, id: ConnectSessionId): Promise<ConnectSession | null>;
  /** Says what has been connected so far. Only while it is pending: null when it has ended already. */
  extend(id: ConnectSessionId, connectionIds: readonly ConnectionId[]): Promise<ConnectSession | null>;
  /** Only while it is pending: null when it has ended already, so that an ending is written once. */
  end(
    id: ConnectSessionId,
    ending: Pick<ConnectSession, 'status' | 'error' | 'connectionIds'>,
  ): Promise<ConnectSession | null>;
  /** A new trip replaces the session's earlier unfinished trips to the same platform from the same browser. */
  insertFlow(flow: ConnectFlow): Promise<void>;
  /** Takes a trip by its state, once, and only for the browser that began it, before it expires. Null otherwise. */
  consumeFlow(stateHash: Uint8Array, browserHash: Uint8Array): Promise<ConnectFlow | null>;
  /** The trip that waits for what its platform brings: nothing was brought yet, and it has not expired. Null otherwise. */
  findFlowByKeyCallback(deliveryHash: Uint8Array): Promise<ConnectFlow | null>;
  /** Keeps what was brought until the browser comes back. False when something was brought before, or it is too late. */
  storeKeyCallback(deliveryHash: Uint8Array, sealedDelivery: Uint8Array): Promise<boolean>;
  /** The one that is open in this browser: the newest that has not expired. */
  findChoice(
    workspaceId: WorkspaceId,
    sessionId: ConnectSessionId,
    browserHash: Uint8Array,
  ): Promise<ConnectChoice | null>;
  /** Abandons what was open for the session in the same browser. */
  insertChoice(choice: ConnectChoice): Promise<void>;
  /** Removes it and answers it, once, while it is open: null when it is gone, was abandoned or has expired. */
  consumeChoice(id: ConnectChoiceId): Promise<ConnectChoice | null>;
  /** Nobody is to choose from it any more; its login is given back by whoever lists it. False when it is gone. */
  abandonChoice(id: ConnectChoiceId): Promise<boolean>;
  /** Removes it, open or not. */
  deleteChoice(id: ConnectChoiceId): Promise<void>;
  /**
   * Across workspaces, for the worker only: what has expired, was abandoned or belongs to a session that has ended. In no
   * order, so that those which cannot be given back keep none of the others waiting.
   */
  listAbandonedChoices(limit: number): Promise<readonly ConnectChoice[]>;
}
