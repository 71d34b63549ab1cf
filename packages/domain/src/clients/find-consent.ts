import type { ApiKey } from '../access/api-key.js';
import { isUsable } from '../access/key-rejection.js';
import { getRemainingCeilings, type CeilingRemaining } from '../access/refund-ceiling.js';
import type { Scope } from '../access/scope.js';
import { notFound } from '../failure.js';
import type { InvitationId } from '../ids.js';
import type { Ports, ReadPorts } from '../ports/index.js';
import type { Profile } from '../profiles/profile.js';
import { ok, type Result } from '../result.js';
import type { Workspace } from '../workspaces/workspace.js';
import { listGrantableScopes } from './grantable-scopes.js';
import { digestInvitationCode } from './invitation-code.js';
import type { Invitation } from './invitation.js';

/** What a person decides about on the consent page. */
export interface ConsentView {
  readonly invitation: Invitation;
  readonly key: ApiKey;
  readonly workspace: Workspace;
  /** The profiles that the key reaches: a hundred at most. */
  readonly profiles: readonly Profile[];
  readonly scopes: readonly Scope[];
  /** What the client could refund today; null when it could refund nothing. */
  readonly ceilings: readonly CeilingRemaining[] | null;
}

const PROFILES_MAX = 100;

type ConsentPorts = Pick<
  ReadPorts,
  'invitations' | 'apiKeys' | 'workspaces' | 'profiles' | 'refunds' | 'clock'
>;

export async function findInvitation(
  ports: Pick<Ports, 'invitations' | 'tokens' | 'clock'>,
  code: string,
): Promise<Result<Invitation, 'invitation.not_found'>> {
  const digest = digestInvitationCode(ports.tokens, code);
  const invitation = digest && (await ports.invitations.findByCode(digest));
  return invitation && isOpen(invitation, ports.clock.now()) ? ok(invitation) : notFound('invitation');
}

/** Reads what an invitation offers; `invitation.not_found` once it is used up or expired, or its key ended. */
export async function findConsent(
  ports: ConsentPorts,
  invitationId: InvitationId,
): Promise<Result<ConsentView, 'invitation.not_found'>> {
  const invitation = await ports.invitations.find(invitationId);
  if (!invitation || !isOpen(invitation, ports.clock.now())) return notFound('invitation');
  const offer = await readOffer(ports, invitation);
  const workspace = offer && (await ports.workspaces.find(invitation.workspaceId));
  if (!offer || !workspace) return notFound('invitation');
  const { profileIds } = offer.key.policy;
  const profiles = await ports.profiles.list(
    invitation.workspaceId,
    { reach: profileIds },
    { limit: PROFILES_MAX },
  );
  return ok({ invitation, workspace, profiles: profiles.items, ...offer });
}

/** The key behind an invitation and what it may grant; null when the key has ended. */
export async function readOffer(
  ports: Pick<ConsentPorts, 'apiKeys' | 'refunds' | 'clock'>,
  { workspaceId, lineage }: Invitation,
): Promise<Pick<ConsentView, 'key' | 'scopes' | 'ceilings'> | null> {
  const [key] = await ports.apiKeys.listCurrent(workspaceId, [lineage]);
  if (!key || !isUsable(key, ports.clock.now())) return null;
  const remaining = await getRemainingCeilings(ports, workspaceId, key);
  const scopes = listGrantableScopes(key, remaining !== null);
  return { key, scopes, ceilings: scopes.includes('refunds:write') ? remaining : null };
}

const isOpen = ({ uses, maxClients, expiresAt }: Invitation, now: Date): boolean =>
  uses < maxClients && expiresAt > now;
