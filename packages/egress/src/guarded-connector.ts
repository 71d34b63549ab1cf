import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import { isPublicAddress } from './addresses.js';
import { AddressRefusedError, guardedLookup, type HostResolver } from './guarded-lookup.js';
import type { HostAllowList } from './host-allow-list.js';

const CONNECT_TIMEOUT_MS = 5_000;

/** Opens sockets for undici: only to checked addresses, and looks again at where it has arrived. */
export function guardedConnector(allowList: HostAllowList, resolve: HostResolver): buildConnector.connector {
  // HTTP/2 is off: there a request may be sent again behind our back, and "it was not sent" would be a guess.
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
    // No look-up happens for a numeric host, so the check cannot wait for it.
    if (isIP(hostname) !== 0 && !isPublicAddress(hostname)) return callback(new AddressRefusedError(), null);
    connectPublicOnly({ ...options, hostname }, (...[error, socket]) => {
      if (error) return callback(error, null);
      if (isPublicAddress(socket.remoteAddress ?? '')) return callback(null, socket);
      socket.destroy();
      callback(new AddressRefusedError(), null);
    });
  };
}
