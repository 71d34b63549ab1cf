import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { isPublicAddress } from './addresses.js';
import { AddressRefused, guardedLookup, systemResolve, type Resolve } from './guarded-lookup.js';
import { hostRule, type HostRule } from './host-rule.js';
import { readTarget } from './target.js';

export interface GuardedAgents {
  readonly http: http.Agent;
  readonly https: https.Agent;
  close(): void;
}

/** The same rule for libraries that bring their own client and accept Node.js agents. */
export function guardedAgents(options: {
  readonly allowPrivateHosts: readonly string[];
  readonly resolve?: Resolve | undefined;
}): GuardedAgents {
  const rule = hostRule(options.allowPrivateHosts);
  const resolve = options.resolve ?? systemResolve;
  const agents = {
    http: guard(new http.Agent({ keepAlive: false }), 'http:', rule, resolve),
    https: guard(new https.Agent({ keepAlive: false }), 'https:', rule, resolve),
  };
  return {
    ...agents,
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

type Connecting = http.ClientRequestArgs & {
  readonly host?: string | null;
  readonly port?: number | string | null;
};

function guard<Agent extends http.Agent>(
  agent: Agent,
  protocol: string,
  rule: HostRule,
  resolve: Resolve,
): Agent {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options: Connecting, callback) => {
    const host = options.host ?? options.hostname ?? 'localhost';
    const name = isIP(host) === 6 ? `[${host}]` : host;
    const target = readTarget(`${protocol}//${name}:${options.port ?? ''}/`, rule);
    if (target.kind !== 'fit') return refuseLater(callback);
    const open = rule.allows(host, Number(options.port));
    const lookup = guardedLookup(resolve, open ? 'anything' : 'public_only');
    const socket = connect({ ...options, lookup }, callback);
    if (socket && !open) {
      socket.once('connect', function (this: Duplex & { remoteAddress?: string }) {
        if (!isPublicAddress(this.remoteAddress ?? '')) this.destroy(new AddressRefused());
      });
    }
    return socket;
  };
  // Libraries of hapi's (simple-oauth2 rests on one) copy their options deeply, except what says that it is immutable.
  const prototype: unknown = Object.create(Object.getPrototypeOf(agent) as object, {
    isImmutable: { value: true },
  });
  Object.setPrototypeOf(agent, prototype as object);
  return agent;
}

/** An error that is thrown here would surface outside of the request; given to the callback, it is the request's. */
function refuseLater(callback?: (error: Error | null, stream: Duplex) => void): undefined {
  process.nextTick(() => callback?.(new AddressRefused(), undefined as unknown as Duplex));
  return undefined;
}
