import type { SealBinding, WorkspaceId } from '@switchboard/domain';
import { lengthPrefixed } from './length-prefixed.js';

/** The bytes that stand for a place. No workspace is the installation itself: an id is never empty. */
export function encodeBinding(
  workspaceId: WorkspaceId | null,
  { table, row, field, generation }: SealBinding,
): Uint8Array {
  if (!Number.isSafeInteger(generation) || generation < 0) throw new Error('a generation counts from 0');
  return lengthPrefixed([workspaceId ?? '', table, row, field, String(generation)]);
}
