import type { ConnectionId, WorkspaceId } from '../ids.js';
import type { SealBinding } from '../ports/vault.js';

export interface StoreWebhook {
  readonly connectionId: ConnectionId;
  readonly workspaceId: WorkspaceId;
  /** The random part of their URL. It finds them; the secret authenticates them. */
  readonly address: string;
  /** The secret that authenticates them; null until it is known. */
  readonly sealedSecret: Uint8Array | null;
  /** Counts replacements of the secret. */
  readonly generation: number;
  readonly externalIds: readonly string[];
  readonly failures: number;
  /** Changes with every claim, and whenever it becomes due. */
  readonly fence: number;
}

/** Below the public URL. */
export const STORE_WEBHOOK_PATH = '/store-webhooks';

export const storeWebhookUrl = (publicUrl: string, address: string): string =>
  `${publicUrl}${STORE_WEBHOOK_PATH}/${address}`;

/** Longer than any store repeats a webhook. */
export const DELIVERY_DAYS = 7;

export const storeWebhookBinding = (connectionId: ConnectionId, generation: number): SealBinding => ({
  table: 'store_webhooks',
  row: connectionId,
  field: 'sealed_secret',
  generation,
});
