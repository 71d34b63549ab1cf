import type { Connection, ConnectionStatus, PlatformKind } from '../connections/connection.js';
import type { SealedCredential } from '../connections/credential.js';
import type { ConnectionView } from '../connections/list-connections.js';
import type { ConnectionId, ProfileId, WorkspaceId } from '../ids.js';
import type { PageRequest, Rows } from '../page.js';

/** Connected accounts, without their credentials. */
export interface Connections {
  find(workspaceId: WorkspaceId, id: ConnectionId): Promise<Connection | null>;
  /**
   * Reads it and makes everybody else who locks or changes it wait until the transaction ends: whoever acts on how a
   * connection stands cannot be overtaken by its reconnection or its end.
   */
  lock(workspaceId: WorkspaceId, id: ConnectionId): Promise<Connection | null>;
  /** The same remote account connected before in the same profile. */
  findByAccount(
    workspaceId: WorkspaceId,
    profileId: ProfileId,
    platform: string,
    remoteAccountId: string,
  ): Promise<Connection | null>;
  /** Newest first, each with what waits on it: as `countScheduled` would say, read together. */
  list(workspaceId: WorkspaceId, filter: ConnectionFilter, page: PageRequest): Promise<Rows<ConnectionView>>;
  /** All that fit, oldest first, for work over every one of them (targets of a post, sources of a list); at most 500. */
  listAll(workspaceId: WorkspaceId, filter: ConnectionFilter): Promise<readonly Connection[]>;
  /** How many unsent scheduled posts each has, and when the next one is due. */
  countScheduled(
    workspaceId: WorkspaceId,
    ids: readonly ConnectionId[],
  ): Promise<ReadonlyMap<ConnectionId, { readonly count: number; readonly nextAt: Date | null }>>;
  /** Across workspaces, for the worker only. In no order. */
  listByIds(ids: readonly ConnectionId[]): Promise<readonly Connection[]>;
  /**
   * Across workspaces, for the worker only: the usable connections of these platforms without a snapshot since `before`,
   * in no order, so that accounts which give no numbers do not stand in the way of the others.
   */
  listForSnapshots(platforms: readonly string[], before: Date, limit: number): Promise<readonly Connection[]>;
  insert(connection: Connection): Promise<void>;
  update(workspaceId: WorkspaceId, id: ConnectionId, changes: ConnectionChanges): Promise<Connection | null>;
  /** Removes the connection and destroys its sealed credential. Posts, refunds and numbers made through it stay. */
  delete(workspaceId: WorkspaceId, id: ConnectionId): Promise<void>;
}

export interface ConnectionFilter {
  /** Only these profiles (a key's reach), null for all. */
  readonly reach: readonly ProfileId[] | null;
  readonly ids?: readonly ConnectionId[] | undefined;
  readonly profileId?: ProfileId | undefined;
  readonly platforms?: readonly string[] | undefined;
  readonly kind?: PlatformKind | undefined;
  readonly statuses?: readonly ConnectionStatus[] | undefined;
  readonly externalId?: string | undefined;
}

/** What is undefined stays as it is. */
export type ConnectionChanges = {
  readonly [
    Field in Exclude<keyof Connection, 'id' | 'workspaceId' | 'platform' | 'kind' | 'createdAt' | 'version'>
  ]?: Connection[Field] | undefined;
};

/**
 * The sealed credentials, one a connection, and the lease that lets one process at a time renew one.
 * Times are the database's.
 */
export interface Credentials {
  find(workspaceId: WorkspaceId, connectionId: ConnectionId): Promise<SealedCredential | null>;
  insert(credential: SealedCredential): Promise<void>;
  /**
   * Takes the right to renew generation `generation` for `leaseSeconds`. Null while another process holds it,
   * or when the generation has moved on. The number is the fence that `renew` must name.
   */
  claim(connectionId: ConnectionId, generation: number, leaseSeconds: number): Promise<number | null>;
  /** Stores the next generation. False when the fence or the generation has moved on; nothing is written then. */
  renew(next: SealedCredential, fence: number): Promise<boolean>;
  /** Gives the right back without a new credential. */
  release(connectionId: ConnectionId, fence: number): Promise<void>;
  /** Replaces whatever there is, for a reconnection: the next generation after the present one is in `next`. */
  replace(next: SealedCredential): Promise<void>;
}
