import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import { isPublicAddress } from './addresses.js';
import { AddressRefusedError, guardedLookup, type HostResolver } from './guarded-lookup.js';
import type { HostAllowList } from './host-allow-list.js';

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * The SSRF guard of undici's connections: connects only to checked addresses, and verifies the remote address
 * after connecting.
 */
export function guardedConnector(allowList: HostAllowList, resolve: HostResolver): buildConnector.connector {
  // HTTP/2 is off: it may retry a request internally, so "not sent" would not be certain.
  const connectOptions = { allowH2: false, timeout: CONNECT_TIMEOUT_MS };
  const connectPublicOnly = buildConnector({
    ...connectOptions,
    lookup: guardedLookup(resolve, 'public_only'),
  });
  const connectAnywhere = buildConnector({ ...connectOptions, lookup: guardedLookup(resolve, 'anything') });

  return (options, callback) => {
    const hostname = options.hostname.replace(/^\[|\]$/g, '');
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80);
    if (allowList.allows(hostname, port)) return connectAnywhere({ ...options, hostname }, callback);
    // A numeric host is not resolved, so it is checked before.
    if (isIP(hostname) !== 0 && !isPublicAddress(hostname)) return callback(new AddressRefusedError(), null);
    connectPublicOnly({ ...options, hostname }, (...[error, socket]) => {
      if (error) return callback(error, null);
      if (isPublicAddress(socket.remoteAddress ?? '')) return callback(null, socket);
      socket.destroy();
      callback(new AddressRefusedError(), null);
    });
  };
}
