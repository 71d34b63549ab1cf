import { isIP } from 'node:net';
import { buildConnector } from 'undici';
import { isPublicAddress } from './addresses.js';
import { AddressRefused, guardedLookup, type Resolve } from './guarded-lookup.js';
import type { HostRule } from './host-rule.js';

const CONNECT_TIMEOUT_MS = 5_000;

/** Opens sockets for undici: only to checked addresses, and looks again at where it has arrived. */
export function guardedConnector(rule: HostRule, resolve: Resolve): buildConnector.connector {
  // HTTP/2 is off: there a request may be sent again behind our back, and "it was not sent" would be a guess.
  const common = { allowH2: false, timeout: CONNECT_TIMEOUT_MS };
  const guarded = buildConnector({ ...common, lookup: guardedLookup(resolve, 'public_only') });
  const open = buildConnector({ ...common, lookup: guardedLookup(resolve, 'anything') });

  return (options, callback) => {
    const hostname = options.hostname.replace(/^\[|\]$/g, '');
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80);
    if (rule.allows(hostname, port)) return open({ ...options, hostname }, callback);
    // No look-up happens for a numeric host, so the check cannot wait for it.
    if (isIP(hostname) !== 0 && !isPublicAddress(hostname)) return callback(new AddressRefused(), null);
    guarded({ ...options, hostname }, (...[error, socket]) => {
      if (error) return callback(error, null);
      if (isPublicAddress(socket.remoteAddress ?? '')) return callback(null, socket);
      socket.destroy();
      callback(new AddressRefused(), null);
    });
  };
}
