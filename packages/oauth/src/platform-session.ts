import { refuse, type Result } from '@switchboard/domain';
import type { Connection, RemoteAccount } from '@switchboard/domain/connections';
import type {
  Clock,
  ConnectMethod,
  Manifest,
  Outbound,
  OutboundOutcome,
  OutboundRequest,
  PlatformRequest,
  RequestFailureCode,
  Session,
} from '@switchboard/domain/ports';
import { createUserAgentHeader } from './create-user-agent-header.js';
import { toPlatformResponse, interpretOutcome } from './interpret-outcome.js';
import { toOutboundRequest } from './to-outbound-request.js';
import type { OriginResolver } from './oauth2-authorizer.js';
import type { AuthenticatedTransport } from './auth-scheme.js';

export interface SessionCredential {
  readonly generation: number;
  readonly transport: AuthenticatedTransport;
}

type SecondaryOrigins = Pick<
  ReturnType<OriginResolver>,
  'uploadBaseUrl' | 'analyticsBaseUrl' | 'otherBaseUrls'
>;

interface PlatformSessionOptions {
  readonly manifest: Manifest;
  readonly connectMethod: Pick<ConnectMethod, 'id' | 'appPlatform' | 'passwordLogin'>;
  /** The owner of the rate limits; null while an account is being connected. */
  readonly connection: Pick<Connection, 'id' | 'workspaceId' | 'server'> | null;
  readonly account: RemoteAccount;
  readonly baseUrl: string;
  /** The platform's secondary origins, or the operator's overrides. */
  readonly origins: SecondaryOrigins;
  readonly outbound: Outbound;
  readonly grantedPermissions: readonly string[];
  readonly signal: AbortSignal;
  readonly mayWrite?: (() => boolean) | undefined;
  readonly clock: Clock;
  readonly credential: SessionCredential;
  /** Returns a newer credential than the rejected one. */
  renew(refused: SessionCredential): Promise<Result<SessionCredential, RequestFailureCode>>;
  /** Called when a platform rejects a credential that was just renewed. */
  rejectCredential(refused: SessionCredential): Promise<Result<never, RequestFailureCode>>;
}

const CONCURRENT_REQUESTS_MAX = 8;

/**
 * Limits of a user-chosen server are per workspace; those of the platform's own servers are shared by all
 * workspaces.
 */
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
  const { uploadBaseUrl, analyticsBaseUrl, otherBaseUrls = {} } = facts.origins;
  // A login of another platform must not be sent to this platform's own origin.
  const ownBaseUrl = connectMethod.appPlatform === undefined ? manifest.baseUrl : null;
  const otherOrigins = [ownBaseUrl, uploadBaseUrl, analyticsBaseUrl, ...Object.values(otherBaseUrls)].flatMap(
    (url) => (url == null ? [] : [new URL(url).origin]),
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
        return refuse('platform.address_refused', `The URL does not belong to ${manifest.name}.`);
      }
      if (isSessionEndpoint(connectMethod, baseUrl, outgoing.url)) {
        return refuse('platform.address_refused', 'An adapter does not log in or out, nor renew a session.');
      }
      const outboundOptions = {
        ...outgoing,
        headers: { ...createUserAgentHeader(manifest), ...outgoing.headers },
        ...limits,
        ...(request.effect !== 'read' && { maySend: facts.mayWrite }),
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
        // A rejected credential means that the request had no effect, so even a write can be retried.
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

/** Whether the URL is where a session is opened, renewed or closed: its response would show a token to the adapter. */
function isSessionEndpoint(
  { passwordLogin }: Pick<ConnectMethod, 'passwordLogin'>,
  baseUrl: string,
  url: string,
): boolean {
  if (!passwordLogin) return false;
  const { login, renewal, logout } = passwordLogin;
  const requests = [login, typeof renewal === 'string' ? undefined : renewal, logout];
  return requests.some((request) => request && plainPath(baseUrl + request.path) === plainPath(url));
}

/** The path as a lenient server may read it: decoded, in lower case, without empty segments. */
function plainPath(url: string): string {
  let { pathname } = new URL(url);
  try {
    pathname = decodeURIComponent(pathname);
  } catch {
    // A server that decodes it reads another path.
  }
  return pathname.toLowerCase().split('/').filter(Boolean).join('/');
}

/** Redirects requests for the platform's secondary origins to the operator's overrides. */
function withConfiguredOrigin(
  request: PlatformRequest,
  manifest: Manifest,
  origins: SecondaryOrigins,
): PlatformRequest {
  const pairs = [
    [manifest.uploadBaseUrl, origins.uploadBaseUrl],
    [manifest.analyticsBaseUrl, origins.analyticsBaseUrl],
    ...Object.entries(manifest.otherBaseUrls ?? {}).map(
      ([name, url]) => [url, origins.otherBaseUrls?.[name]] as const,
    ),
  ] as const;
  for (const [ofPlatform, set] of pairs) {
    if (ofPlatform !== undefined && set && request.path.startsWith(`${ofPlatform}/`)) {
      return { ...request, path: set + request.path.slice(ofPlatform.length) };
    }
  }
  return request;
}
