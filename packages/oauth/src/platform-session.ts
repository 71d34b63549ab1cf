import {
  refuse,
  type Clock,
  type Connection,
  type ConnectWay,
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
import { calledBy } from './called-by.js';
import { platformAnswer, readOutcome } from './platform-answer.js';
import { outboundRequest } from './platform-request.js';
import type { Origins } from './oauth2-authorizer.js';
import type { Line } from './scheme.js';

/** An opened credential and which one it is. */
export interface Access {
  readonly generation: number;
  readonly line: Line;
}

type OtherOrigins = Pick<ReturnType<Origins>, 'uploadBaseUrl' | 'analyticsBaseUrl'>;

export interface SessionFacts {
  readonly manifest: Manifest;
  readonly way: Pick<ConnectWay, 'id' | 'through'>;
  /** Whose allowance is used up; null while an account is being connected. */
  readonly connection: Pick<Connection, 'id' | 'workspaceId' | 'server'> | null;
  readonly account: RemoteAccount;
  readonly baseUrl: string;
  /** The platform's other origins, or what the operator put in their place. */
  readonly origins: OtherOrigins;
  readonly outbound: Outbound;
  readonly grantedPermissions: readonly string[];
  readonly signal: AbortSignal;
  readonly mayWrite?: (() => boolean) | undefined;
  readonly clock: Clock;
  readonly access: Access;
  /** A newer credential than the one that was refused. */
  renew(refused: Access): Promise<Result<Access, RequestFailureCode>>;
  /** A credential that had just been renewed was refused too. */
  giveUp(refused: Access): Promise<Result<never, RequestFailureCode>>;
}

const CONCURRENT = 8;

/** Connections to a server that somebody chose serve one workspace; those to the platform's own serve all. */
function shareOf({ connection, manifest }: SessionFacts): Pick<OutboundRequest, 'budget' | 'pool'> {
  if (!connection) return {};
  const { perMinute = null, concurrent = CONCURRENT } = manifest.requests ?? {};
  return {
    budget: { key: connection.id, platform: manifest.id, concurrent, perMinute },
    pool: connection.server === null ? manifest.id : connection.workspaceId,
  };
}

export function platformSession(facts: SessionFacts): Session {
  const { manifest, way, account, baseUrl, grantedPermissions, signal, clock } = facts;
  const { uploadBaseUrl, analyticsBaseUrl } = facts.origins;
  // A login at another platform is nothing that this one's own origin may see.
  const own = way.through === undefined ? manifest.baseUrl : null;
  const others = [own, uploadBaseUrl, analyticsBaseUrl].flatMap((url) =>
    url == null ? [] : [new URL(url).origin],
  );
  const share = shareOf(facts);
  let access = facts.access;
  const refuses = ({ line }: Access, outcome: OutboundOutcome, request: PlatformRequest) =>
    outcome.kind === 'answered' &&
    ((!request.everyAnswer && line.refusesCredential(outcome)) ||
      request.refusesCredential?.(platformAnswer(outcome)) === true);

  return {
    account,
    way: way.id,
    baseUrl,
    apiVersion: manifest.apiVersion,
    grantedPermissions,
    subject: access.line.subject,
    signal,
    async request(asked) {
      const request = atItsPlace(asked, manifest, facts.origins);
      const outgoing = outboundRequest(request, baseUrl, others, signal);
      if (!outgoing) {
        return refuse('platform.address_refused', `That is no address of ${manifest.name}.`);
      }
      const sent = {
        ...outgoing,
        headers: { ...calledBy(manifest), ...outgoing.headers },
        ...share,
        ...(request.effect !== 'read' && { mayLeave: facts.mayWrite }),
      };
      if (request.bare) {
        return readOutcome(await facts.outbound.request(sent), request, manifest.name, clock.now());
      }
      const used = access;
      let outcome = await used.line.send(sent, request.tokenScheme);
      if (refuses(used, outcome, request)) {
        // A refused credential means that nothing has happened, so that even a write may be sent again.
        const renewed = await facts.renew(used);
        if (!renewed.ok) return renewed;
        access = renewed.value;
        outcome = await access.line.send(sent, request.tokenScheme);
        if (refuses(access, outcome, request)) return facts.giveUp(access);
      }
      return readOutcome(outcome, request, manifest.name, clock.now());
    },
  };
}

/** What is at another origin of the platform's, at the place that the operator set for that. */
function atItsPlace(request: PlatformRequest, manifest: Manifest, origins: OtherOrigins): PlatformRequest {
  for (const name of ['uploadBaseUrl', 'analyticsBaseUrl'] as const) {
    const [ofPlatform, set] = [manifest[name], origins[name]];
    if (ofPlatform !== undefined && set && request.path.startsWith(`${ofPlatform}/`)) {
      return { ...request, path: set + request.path.slice(ofPlatform.length) };
    }
  }
  return request;
}
