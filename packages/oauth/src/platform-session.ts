import {
  refuse,
  type Clock,
  type Connection,
  type ConnectMethod,
  type Manifest,
  type Outbound,
  type OutboundOutcome,
  type OutboundRequest,
  type PlatformRequest,
  type RemoteAccount,
  type RequestFailureCode,
  type Result,
  type Session,
} from '@switchboard/domain';
import { createUserAgentHeader } from './create-user-agent-header.js';
import { toPlatformResponse, interpretOutcome } from './interpret-outcome.js';
import { toOutboundRequest } from './to-outbound-request.js';
import type { OriginResolver } from './oauth2-authorizer.js';
import type { AuthenticatedTransport } from './auth-scheme.js';

/** An opened credential and which one it is. */
export interface SessionCredential {
  readonly generation: number;
  readonly transport: AuthenticatedTransport;
}

type SecondaryOrigins = Pick<ReturnType<OriginResolver>, 'uploadBaseUrl' | 'analyticsBaseUrl'>;

export interface PlatformSessionOptions {
  readonly manifest: Manifest;
  readonly connectMethod: Pick<ConnectMethod, 'id' | 'appPlatform'>;
  /** Whose allowance is used up; null while an account is being connected. */
  readonly connection: Pick<Connection, 'id' | 'workspaceId' | 'server'> | null;
  readonly account: RemoteAccount;
  readonly baseUrl: string;
  /** The platform's other origins, or what the operator put in their place. */
  readonly origins: SecondaryOrigins;
  readonly outbound: Outbound;
  readonly grantedPermissions: readonly string[];
  readonly signal: AbortSignal;
  readonly mayWrite?: (() => boolean) | undefined;
  readonly clock: Clock;
  readonly credential: SessionCredential;
  /** A newer credential than the one that was refused. */
  renew(refused: SessionCredential): Promise<Result<SessionCredential, RequestFailureCode>>;
  /** A credential that had just been renewed was refused too. */
  rejectCredential(refused: SessionCredential): Promise<Result<never, RequestFailureCode>>;
}

const CONCURRENT_REQUESTS_MAX = 8;

/** Connections to a server that somebody chose serve one workspace; those to the platform's own serve all. */
function createRequestLimits({
  connection,
  manifest,
}: PlatformSessionOptions): Pick<OutboundRequest, 'budget' | 'pool'> {
  if (!connection) return {};
  const { perMinute = null, concurrent = CONCURRENT_REQUESTS_MAX } = manifest.requests ?? {};
  return {
    budget: { key: connection.id, platform: manifest.id, concurrent, perMinute },
    pool: connection.server === null ? manifest.id : connection.workspaceId,
  };
}

export function platformSession(facts: PlatformSessionOptions): Session {
  const { manifest, connectMethod, account, baseUrl, grantedPermissions, signal, clock } = facts;
  const { uploadBaseUrl, analyticsBaseUrl } = facts.origins;
  // A login at another platform is nothing that this one's own origin may see.
  const ownBaseUrl = connectMethod.appPlatform === undefined ? manifest.baseUrl : null;
  const otherOrigins = [ownBaseUrl, uploadBaseUrl, analyticsBaseUrl].flatMap((url) =>
    url == null ? [] : [new URL(url).origin],
  );
  const limits = createRequestLimits(facts);
  let access = facts.credential;
  const isRejected = ({ transport }: SessionCredential, outcome: OutboundOutcome, request: PlatformRequest) =>
    outcome.kind === 'answered' &&
    ((!request.acceptsErrorStatuses && transport.isCredentialRejected(outcome)) ||
      request.isCredentialRejected?.(toPlatformResponse(outcome)) === true);

  return {
    account,
    connectMethod: connectMethod.id,
    baseUrl,
    apiVersion: manifest.apiVersion,
    grantedPermissions,
    subject: access.transport.subject,
    signal,
    async request(platformRequest) {
      const request = withConfiguredOrigin(platformRequest, manifest, facts.origins);
      const outgoing = toOutboundRequest(request, baseUrl, otherOrigins, signal);
      if (!outgoing) {
        return refuse('platform.address_refused', `That is no address of ${manifest.name}.`);
      }
      const outboundOptions = {
        ...outgoing,
        headers: { ...createUserAgentHeader(manifest), ...outgoing.headers },
        ...limits,
        ...(request.effect !== 'read' && { mayLeave: facts.mayWrite }),
      };
      if (request.omitsCredential) {
        return interpretOutcome(
          await facts.outbound.request(outboundOptions),
          request,
          manifest.name,
          clock.now(),
        );
      }
      const usedCredential = access;
      let outcome = await usedCredential.transport.send(outboundOptions, request.tokenScheme);
      if (isRejected(usedCredential, outcome, request)) {
        // A refused credential means that nothing has happened, so that even a write may be sent again.
        const renewed = await facts.renew(usedCredential);
        if (!renewed.ok) return renewed;
        access = renewed.value;
        outcome = await access.transport.send(outboundOptions, request.tokenScheme);
        if (isRejected(access, outcome, request)) return facts.rejectCredential(access);
      }
      return interpretOutcome(outcome, request, manifest.name, clock.now());
    },
  };
}

/** What is at another origin of the platform's, at the place that the operator set for that. */
function withConfiguredOrigin(
  request: PlatformRequest,
  manifest: Manifest,
  origins: SecondaryOrigins,
): PlatformRequest {
  for (const name of ['uploadBaseUrl', 'analyticsBaseUrl'] as const) {
    const [ofPlatform, set] = [manifest[name], origins[name]];
    if (ofPlatform !== undefined && set && request.path.startsWith(`${ofPlatform}/`)) {
      return { ...request, path: set + request.path.slice(ofPlatform.length) };
    }
  }
  return request;
}
