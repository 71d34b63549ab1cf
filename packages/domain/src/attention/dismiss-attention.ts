import { authorize } from '../access/authorize.js';
import type { Scope } from '../access/scope.js';
import { actorName, keyOf, type Call } from '../call.js';
import { notFound } from '../failure.js';
import type { AtomicPorts } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import { objectOf, parseItemKind, type AttentionItem, type AttentionKind } from './attention.js';
import { findItem, maySee, type AttentionPorts } from './list-attention.js';

interface DismissAttention {
  readonly id: string;
}

/** The write scope of the object that an item is about. */
const scopeOf: Readonly<Record<Exclude<AttentionKind, 'approval_pending'>, Scope>> = {
  installation_paused: 'workspace:admin',
  database_promoted: 'workspace:admin',
  profile_paused: 'profiles:write',
  connection_paused: 'connections:write',
  refund_needs_review: 'refunds:write',
  post_needs_review: 'posts:write',
  connection_needs_reauth: 'connections:write',
  connection_degraded: 'connections:write',
  webhook_disabled: 'webhooks:write',
  media_failed: 'posts:write',
  post_failed: 'posts:write',
  post_missed: 'posts:write',
  api_version_ends: 'connections:write',
};

/**
 * Removes an item from the list for everyone; what it is about does not change. The item is one occurrence of its cause:
 * when the cause occurs anew, another item is listed.
 */
export async function dismissAttention(
  ports: AttentionPorts & Pick<AtomicPorts, 'dismissals'>,
  call: Call,
  { id }: DismissAttention,
): Promise<
  Result<AttentionItem, 'attention_item.not_found' | 'key.scope_missing' | 'key.policy_unsupported'>
> {
  const kind = parseItemKind(id);
  if (kind === null) return notFound('attention_item');
  const key = keyOf(call);
  const allow = (scope: Scope) => authorize(key, { scope, effect: 'update' });
  if (kind !== 'approval_pending') {
    const allowed = allow(scopeOf[kind]);
    if (!allowed.ok) return allowed;
  }
  const item = maySee(key.scopes, kind) ? await findItem(ports, call, kind, id) : null;
  if (!item) return notFound('attention_item');
  if (kind === 'approval_pending') {
    const allowed = allow(item.refundId === undefined ? 'posts:write' : 'refunds:write');
    if (!allowed.ok) return allowed;
  }
  await ports.dismissals.insert({
    workspaceId: call.workspaceId,
    itemId: id,
    kind,
    object: objectOf(item),
    by: actorName(call),
  });
  return ok(item);
}
