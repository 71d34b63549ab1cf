import type { ConnectChoice, ConnectFlow, ConnectSession } from '../connections/connect-session.js';
import type { ConnectChoiceId, ConnectSessionId, WorkspaceId } from '../ids.js';

/** Sessions of the hosted connect flow, and the platform flows that they started. */
export interface ConnectSessions {
  find(workspaceId: WorkspaceId, id: ConnectSessionId): Promise<ConnectSession | null>;
  /** Finds a session by the hash of the token in the hosted URL. */
  findByToken(tokenHash: Uint8Array): Promise<ConnectSession | null>;
  insert(session: ConnectSession): Promise<void>;
  /** Reads the session and locks it: other transactions that lock or change it wait until this one ends. */
  lock(workspaceId: WorkspaceId, id: ConnectSessionId): Promise<ConnectSession | null>;
  /** Stores the connections so far. Only while it is pending: null when it has already ended. */
  extend(
    id: ConnectSessionId,
    changes: Pick<ConnectSession, 'connectionIds' | 'expiresAt'>,
  ): Promise<ConnectSession | null>;
  /** Keeps a later expiry. Only while it is pending. */
  postponeExpiry(id: ConnectSessionId, expiresAt: Date): Promise<void>;
  /** Only while it is pending: null when it has already ended, so that the result is written once. */
  end(
    id: ConnectSessionId,
    ending: Pick<ConnectSession, 'status' | 'error' | 'connectionIds'>,
  ): Promise<ConnectSession | null>;
  /**
   * A new flow replaces the session's earlier unfinished flows to the same platform from the same browser.
   */
  insertFlow(flow: ConnectFlow): Promise<void>;
  /**
   * Deletes and returns a flow by its state, once, only for the browser that started it, and before it
   * expires. Otherwise null.
   */
  consumeFlow(stateHash: Uint8Array, browserHash: Uint8Array): Promise<ConnectFlow | null>;
  /** The flow that waits for keys from its platform: none received yet, and not expired. Otherwise null. */
  findFlowByKeyCallback(deliveryHash: Uint8Array): Promise<ConnectFlow | null>;
  /**
   * Stores the received keys until the browser returns. False when keys were received before, or the flow has
   * expired.
   */
  storeKeyCallback(deliveryHash: Uint8Array, sealedDelivery: Uint8Array): Promise<boolean>;
  /** The open choice of this browser: the newest that has not expired. */
  findChoice(
    workspaceId: WorkspaceId,
    sessionId: ConnectSessionId,
    browserHash: Uint8Array,
  ): Promise<ConnectChoice | null>;
  /** Also abandons the open choice of the same session and browser. */
  insertChoice(choice: ConnectChoice): Promise<void>;
  /** Deletes and returns an open choice, once: null when it is gone, abandoned or expired. */
  consumeChoice(id: ConnectChoiceId): Promise<ConnectChoice | null>;
  /** Closes the choice; the worker that lists it revokes its login. False when it is gone. */
  abandonChoice(id: ConnectChoiceId): Promise<boolean>;
  /** Deletes it, open or not. */
  deleteChoice(id: ConnectChoiceId): Promise<void>;
  /**
   * Across workspaces, for the worker only: expired and abandoned choices, and those of ended sessions. In no
   * order, so that failing revocations do not block the others.
   */
  listAbandonedChoices(limit: number): Promise<readonly ConnectChoice[]>;
}
