import type { WorkspaceId } from '@switchboard/domain';
import type { SealBinding } from '@switchboard/domain/ports';
import { lengthPrefixed } from './length-prefixed.js';

/**
 * Encodes the slot that a secret is bound to. No workspace denotes the installation: an ID is never empty.
 */
export function encodeBinding(
  workspaceId: WorkspaceId | null,
  { table, row, field, generation }: SealBinding,
): Uint8Array {
  if (!Number.isSafeInteger(generation) || generation < 0)
    throw new Error('a generation must be a non-negative integer');
  return lengthPrefixed([workspaceId ?? '', table, row, field, String(generation)]);
}
