import {
  refuse,
  type Clock,
  type Connection,
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
import { platformAnswer, readOutcome } from './platform-answer.js';
import { outboundRequest } from './platform-request.js';
import type { Line } from './scheme.js';

/** An opened credential and which one it is. */
export interface Access {
  readonly generation: number;
  readonly line: Line;
}

export interface SessionFacts {
  readonly manifest: Manifest;
  /** Whose allowance is used up; null while an account is being connected. */
  readonly connection: Pick<Connection, 'id' | 'workspaceId' | 'server'> | null;
  readonly account: RemoteAccount;
  readonly baseUrl: string;
  /** What the operator put in place of the manifest's; null where nothing. */
  readonly uploadBaseUrl: string | null;
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
  const { manifest, account, baseUrl, grantedPermissions, signal, clock } = facts;
  const others = [manifest.baseUrl, facts.uploadBaseUrl].flatMap((url) =>
    url === null ? [] : [new URL(url).origin],
  );
  const share = shareOf(facts);
  let access = facts.access;
  const refuses = ({ line }: Access, outcome: OutboundOutcome, request: PlatformRequest) =>
    outcome.kind === 'answered' &&
    ((!request.everyAnswer && line.refusesCredential(outcome)) ||
      request.refusesCredential?.(platformAnswer(outcome)) === true);

  return {
    account,
    baseUrl,
    apiVersion: manifest.apiVersion,
    grantedPermissions,
    signal,
    async request(asked) {
      const request = throughProxy(asked, manifest.uploadBaseUrl, facts.uploadBaseUrl);
      const outgoing = outboundRequest(request, baseUrl, others, signal);
      if (!outgoing) {
        return refuse('platform.address_refused', `That is no address of ${manifest.name}.`);
      }
      const sent = {
        ...outgoing,
        ...share,
        ...(request.effect !== 'read' && { mayLeave: facts.mayWrite }),
      };
      if (request.bare) {
        return readOutcome(await facts.outbound.request(sent), request, manifest.name, clock.now());
      }
      const used = access;
      let outcome = await used.line.send(sent);
      if (refuses(used, outcome, request)) {
        // A refused credential means that nothing has happened, so that even a write may be sent again.
        const renewed = await facts.renew(used);
        if (!renewed.ok) return renewed;
        access = renewed.value;
        outcome = await access.line.send(sent);
        if (refuses(access, outcome, request)) return facts.giveUp(access);
      }
      return readOutcome(outcome, request, manifest.name, clock.now());
    },
  };
}

/** An upload's address that the platform told, at the place that the operator set for the platform's own. */
function throughProxy(
  request: PlatformRequest,
  ofPlatform: string | undefined,
  set: string | null,
): PlatformRequest {
  const isUpload = ofPlatform !== undefined && request.path.startsWith(`${ofPlatform}/`);
  return isUpload && set !== null
    ? { ...request, path: set + request.path.slice(ofPlatform.length) }
    : request;
}
