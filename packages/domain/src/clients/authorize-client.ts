import type { Scope } from '../access/scope.js';
import { notFound, refuse } from '../failure.js';
import type { InvitationId } from '../ids.js';
import type { Ports } from '../ports/index.js';
import { ok, type Result } from '../result.js';
import type { AuthorizedClient } from './authorized-client.js';
import { readOffer } from './find-consent.js';

interface AuthorizeClient {
  readonly invitationId: InvitationId;
  readonly oauthClientId: string;
  readonly name: string;
  readonly host: string;
  /** The scopes that the person checked. */
  readonly scopes: readonly Scope[];
}

/** The actor of what a visitor decides on the consent page. */
const CONSENT_PAGE = 'system:consent_page';

/**
 * Uses the invitation and authorizes the client, in one transaction: an invitation that was used up meanwhile
 * authorizes nothing. The scopes are compared with what the key may grant now, not with what the page showed.
 */
export async function authorizeClient(
  ports: Pick<Ports, 'transactions' | 'ids' | 'clock'>,
  requestId: string,
  { invitationId, scopes, ...identity }: AuthorizeClient,
): Promise<Result<AuthorizedClient, 'invitation.not_found' | 'key.scope_exceeded' | 'request.invalid'>> {
  if (scopes.length === 0) return refuse('request.invalid', 'Choose at least one scope.');
  return ports.transactions.run(async (tx) => {
    const invitation = await tx.invitations.use(invitationId);
    const offer = invitation && (await readOffer({ ...tx, clock: ports.clock }, invitation));
    if (!invitation || !offer) return notFound('invitation');
    if (!scopes.every((scope) => offer.scopes.includes(scope))) {
      return refuse('key.scope_exceeded', 'The key cannot grant these scopes to a client.');
    }
    const { workspaceId, lineage } = invitation;
    const client: AuthorizedClient = {
      ...identity,
      id: ports.ids.next('cli'),
      workspaceId,
      lineage,
      scopes,
      createdAt: ports.clock.now(),
      lastUsedAt: null,
      revokedAt: null,
      endReason: null,
    };
    await tx.clients.insert(client);
    const { id, name, host } = client;
    const data = { client_id: id, key_id: offer.key.id, name, host, scopes };
    await tx.events.append({ workspaceId, type: 'client.authorized', profileId: null, data });
    await tx.audit.append({
      workspaceId,
      actor: CONSENT_PAGE,
      action: 'authorizeClient',
      object: id,
      outcome: 'ok',
      requestId,
      details: { surface: 'hosted_page', key: offer.key.id, invitation: invitation.id, scopes },
    });
    return ok(client);
  });
}
