import type { Scope } from '../access/scope.js';
import type { ClientId, WorkspaceId } from '../ids.js';

/**
 * Why a client's access has ended: a key or the operator revoked it, its key was revoked, the client signed
 * out itself, or a code or refresh token was presented a second time, so that one of two holders is not the
 * client.
 */
export type ClientEndReason = 'revoked' | 'key_revoked' | 'signed_out' | 'token_reused';

/**
 * An MCP client that a person allowed, by OAuth, to act with an API key: one grant. Its calls are calls of
 * the key's lineage, limited to the consented scopes.
 */
export interface AuthorizedClient {
  readonly id: ClientId;
  readonly workspaceId: WorkspaceId;
  /** The lineage of the key: the client stays authorized when the key is rotated. */
  readonly lineage: string;
  /** The OAuth `client_id`: the URL of its metadata document, or the id of its registration. */
  readonly oauthClientId: string;
  /** As the client calls itself, which is not verified. */
  readonly name: string;
  /** The host that the consent page showed: that of its metadata document, else that of its redirect URI. */
  readonly host: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
  readonly endReason: ClientEndReason | null;
}
