import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { isPublicAddress } from './addresses.js';
import { AddressRefusedError, guardedLookup, systemResolver, type HostResolver } from './guarded-lookup.js';
import { hostAllowList, type HostAllowList } from './host-allow-list.js';
import { parseTarget } from './parse-target.js';

/** The SSRF guard for libraries that bring their own client and accept Node.js agents. */
export function guardedAgents(options: {
  readonly allowPrivateHosts: readonly string[];
  readonly resolve?: HostResolver | undefined;
}) {
  const allowList = hostAllowList(options.allowPrivateHosts);
  const resolve = options.resolve ?? systemResolver;
  const agents = {
    http: guardAgent(new http.Agent({ keepAlive: false }), 'http:', allowList, resolve),
    https: guardAgent(new https.Agent({ keepAlive: false }), 'https:', allowList, resolve),
  };
  return {
    ...agents,
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

export type GuardedAgents = ReturnType<typeof guardedAgents>;

type ConnectOptions = http.ClientRequestArgs & {
  readonly host?: string | null;
  readonly port?: number | string | null;
};

function guardAgent<Agent extends http.Agent>(
  agent: Agent,
  protocol: string,
  allowList: HostAllowList,
  resolve: HostResolver,
): Agent {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options: ConnectOptions, callback) => {
    const host = options.host ?? options.hostname ?? 'localhost';
    const name = isIP(host) === 6 ? `[${host}]` : host;
    const target = parseTarget(`${protocol}//${name}:${options.port ?? ''}/`, allowList);
    if (target.kind !== 'fit') return failOnNextTick(callback);
    const isPrivateAllowed = allowList.allows(host, Number(options.port));
    const lookup = guardedLookup(resolve, isPrivateAllowed ? 'anything' : 'public_only');
    const socket = connect({ ...options, lookup }, callback);
    if (socket && !isPrivateAllowed) {
      socket.once('connect', function (this: Duplex & { remoteAddress?: string }) {
        if (!isPublicAddress(this.remoteAddress ?? '')) this.destroy(new AddressRefusedError());
      });
    }
    return socket;
  };
  // hapi libraries (a dependency of simple-oauth2) deep-copy their options, except objects marked as
  // immutable.
  const prototype: unknown = Object.create(Object.getPrototypeOf(agent) as object, {
    isImmutable: { value: true },
  });
  Object.setPrototypeOf(agent, prototype as object);
  return agent;
}

/**
 * An exception thrown here would surface outside the request; passed to the callback, it fails the request.
 */
function failOnNextTick(callback?: (error: Error | null, stream: Duplex) => void): undefined {
  process.nextTick(() => callback?.(new AddressRefusedError(), undefined as unknown as Duplex));
  return undefined;
}
