import type { ApiKey } from '../access/api-key.js';
import type { Scope } from '../access/scope.js';
import type { AuthorizedClient, ClientEndReason } from '../clients/authorized-client.js';
import type { Invitation } from '../clients/invitation.js';
import type { ClientId, InvitationId, WorkspaceId } from '../ids.js';
import type { PageRequest, Rows } from '../page.js';

/** Invitations to keys. Used-up and expired ones stay readable until they are purged. */
export interface Invitations {
  /** `codeDigest` is unique. */
  insert(invitation: Invitation, codeDigest: Uint8Array): Promise<void>;
  /** Across workspaces, for the hosted page only: the code is all that the visitor has. */
  findByCode(codeDigest: Uint8Array): Promise<Invitation | null>;
  /** Across workspaces, for the hosted page only. */
  find(id: InvitationId): Promise<Invitation | null>;
  /**
   * Counts one use. Null, and nothing is counted, when it is used up, has expired, or does not exist: of any
   * number of concurrent calls at most `maxClients` succeed.
   */
  use(id: InvitationId): Promise<Invitation | null>;
}

/** The OAuth clients that were authorized to act with a key, including those whose access has ended. */
export interface Clients {
  find(workspaceId: WorkspaceId, id: ClientId): Promise<AuthorizedClient | null>;
  /** Across workspaces, for the authorization server only. */
  findById(id: ClientId): Promise<AuthorizedClient | null>;
  /** The clients of a lineage, newest first. */
  list(workspaceId: WorkspaceId, lineage: string, page: PageRequest): Promise<Rows<AuthorizedClient>>;
  insert(client: AuthorizedClient): Promise<void>;
  /**
   * Ends the access and deletes the client's tokens. Null when it does not exist or has ended before. No
   * token of it can be stored afterwards.
   */
  end(workspaceId: WorkspaceId, id: ClientId, reason: ClientEndReason): Promise<AuthorizedClient | null>;
  /** The same for every client of a lineage; returns those whose access ended now. */
  endAll(
    workspaceId: WorkspaceId,
    lineage: string,
    reason: ClientEndReason,
  ): Promise<readonly AuthorizedClient[]>;
  /** Records uses in one statement; an earlier time never replaces a later one. */
  touch(uses: readonly { readonly id: ClientId; readonly at: Date }[]): Promise<void>;
}

export interface StoredAccessToken {
  readonly client: AuthorizedClient;
  /** The current key of the client's lineage, revoked or not. */
  readonly key: ApiKey;
  /** At most the scopes of the client. */
  readonly scopes: readonly Scope[];
  /** The resource that the token was issued for (RFC 8707). */
  readonly audience: string;
  readonly expiresAt: Date;
}

/** The access tokens of clients, by the SHA-256 of the token. */
export interface AccessTokens {
  /** Finds an expired one too, until it is purged. Null when it, its client or its key does not exist. */
  find(digest: Uint8Array): Promise<StoredAccessToken | null>;
  /** The same for many at once, in one statement; the result has one entry for each digest, in order. */
  findAll(digests: readonly Uint8Array[]): Promise<readonly (StoredAccessToken | null)[]>;
}

/** What the authorization server stores. `client` is a dynamic registration. */
export type OAuthRecordKind =
  | 'interaction'
  | 'authorization_code'
  | 'access_token'
  | 'refresh_token'
  | 'client'
  | 'replay_detection';

/**
 * A record of the authorization server, in its own format. It is stored under the SHA-256 of its identifier,
 * and its payload does not contain the identifier: for a code or a token, that is the secret.
 */
export interface OAuthRecord {
  readonly kind: OAuthRecordKind;
  readonly digest: Uint8Array;
  /** The authorized client to which a code or token belongs; null for the others. */
  readonly clientId: ClientId | null;
  readonly payload: Readonly<Record<string, unknown>>;
  /** Of an access token; null for all other kinds. */
  readonly token: { readonly scopes: readonly Scope[]; readonly audience: string } | null;
  /** Null: it does not expire. */
  readonly expiresAt: Date | null;
  readonly consumedAt: Date | null;
}

/** The storage of the authorization server. Expired records are found until they are purged. */
export interface OAuthRecords {
  find(kind: OAuthRecordKind, digest: Uint8Array): Promise<OAuthRecord | null>;
  /**
   * Inserts or replaces a record. False, and nothing is stored, when it belongs to a client whose access has
   * ended or that does not exist.
   */
  store(record: Omit<OAuthRecord, 'consumedAt'>): Promise<boolean>;
  /**
   * Marks a code or refresh token as used. False when it was used before or does not exist: of any number of
   * concurrent calls one succeeds.
   */
  consume(kind: OAuthRecordKind, digest: Uint8Array): Promise<boolean>;
  delete(kind: OAuthRecordKind, digest: Uint8Array): Promise<void>;
}
