import type { ApiKey } from '../access/api-key.js';
import { isUsable } from '../access/key-rejection.js';
import { actorName, type Call } from '../call.js';
import type { Event } from '../events/event.js';
import { parseId } from '../ids.js';
import type { ReadPorts } from '../ports/index.js';
import type { Approval } from './approval.js';
import { mayDecide } from './may-decide.js';

type LinkTools = Pick<ReadPorts, 'approvalLinks' | 'clock'>;

/** Whether an approval can still be decided: its expiry is recorded by the worker a moment later. */
export const isOpen = ({ status, expiresAt }: Pick<Approval, 'status' | 'expiresAt'>, now: Date): boolean =>
  status === 'pending' && expiresAt > now;

/**
 * The link to the decision page, for a key that may decide itself; null for every other caller, and over MCP, where no
 * tool decides: an agent that can open pages would.
 */
export function findDecisionUrl(
  { approvalLinks, clock }: LinkTools,
  { actor, surface }: Pick<Call, 'actor' | 'surface'>,
  approval: Approval,
): string | null {
  const isAllowed = surface !== 'mcp' && actor.kind === 'key' && mayDecide(approval, actor.key);
  return isAllowed && isOpen(approval, clock.now()) ? approvalLinks.urlOf(approval) : null;
}

/** Who chose where messages are sent: the operator, or a lineage of keys. */
export const recipientSetter = (call: Call): string =>
  call.actor.kind === 'key' ? call.actor.key.lineage : actorName(call);

const OPERATOR = 'system:operator';

/**
 * Whether messages to a recipient may contain the link: the operator chose the recipient, or a lineage whose current
 * key may decide itself. Otherwise a key could send itself the link of its own request.
 */
export async function mayReceiveLink(
  ports: Pick<LinkTools, 'clock'> & { readonly apiKeys: Pick<ReadPorts['apiKeys'], 'listCurrent'> },
  approval: Approval,
  setBy: string | null,
): Promise<boolean> {
  if (setBy === null || setBy === OPERATOR) return setBy === OPERATOR;
  const keys = await ports.apiKeys.listCurrent(approval.workspaceId, [setBy]);
  return keys.some((key: ApiKey) => isUsable(key, ports.clock.now()) && mayDecide(approval, key));
}

/** The events with the links of those requests that `findUrl` finds one for. Stored events contain none. */
export async function addDecisionUrls(
  { approvals }: { readonly approvals: Pick<ReadPorts['approvals'], 'listByIds'> },
  events: readonly Event[],
  findUrl: (approval: Approval) => Promise<string | null> | string | null,
): Promise<readonly Event[]> {
  const requests = events.filter(({ type }) => type === 'approval.requested');
  const [first] = requests;
  if (!first) return events;
  const ids = requests.flatMap(({ data }) => parseId('apr', String(data['approval_id'])) ?? []);
  const urls = new Map<unknown, string>();
  for (const approval of await approvals.listByIds(first.workspaceId, ids)) {
    const url = await findUrl(approval);
    if (url !== null) urls.set(approval.id, url);
  }
  return events.map((event) => {
    const url = event.type === 'approval.requested' && urls.get(event.data['approval_id']);
    return typeof url === 'string' ? { ...event, data: { ...event.data, decision_url: url } } : event;
  });
}
