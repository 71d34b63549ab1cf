import { canonicalJson } from '../canonical-json.js';
import type { AuditEntry, Seal, Tokens } from '../ports/index.js';

const VERSION = 'switchboard-audit-1';

/**
 * The hash of a row at its position: SHA-256 of the canonical JSON of an array, which separates the fields
 * unambiguously. It covers every field of the row, the workspace, the position and the hash of the previous
 * row.
 */
export const hashRow = (
  tokens: Pick<Tokens, 'digestHex'>,
  entry: AuditEntry,
  { seq, prevHash }: Pick<Seal, 'seq' | 'prevHash'>,
): string => {
  const { id, workspaceId, at, actor, action, object, outcome, requestId, details, batch, count } = entry;
  const content = {
    id,
    at: at.toISOString(),
    actor,
    action,
    object,
    outcome,
    requestId,
    details,
    batch,
    count,
  };
  return tokens.digestHex(canonicalJson([VERSION, workspaceId, seq, prevHash, content]));
};
