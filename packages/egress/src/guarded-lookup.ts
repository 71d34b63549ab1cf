import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './addresses.js';

/** All addresses of a name, in connection order. */
export type HostResolver = (host: string) => Promise<readonly string[]>;

export const systemResolver: HostResolver = async (host) =>
  (await systemLookup(host, { all: true, order: 'verbatim' })).map(({ address }) => address);

/** The name resolves to an address that is not allowed. */
export class AddressRefusedError extends Error {
  readonly code = 'ADDRESS_REFUSED';

  constructor() {
    super('the address is not allowed');
  }
}

export class NameResolutionError extends Error {
  constructor() {
    super('the host name cannot be resolved');
  }
}

/**
 * The SSRF guard's check of addresses: a `lookup` for `net.connect` that resolves once and returns the
 * checked addresses, so that the checked address is the connected one. One private address among public ones
 * rejects them all.
 */
export function guardedLookup(resolve: HostResolver, guard: 'public_only' | 'anything'): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addressTexts) => {
        const addresses = addressTexts.map((address) => ({ address, family: isIP(address) }));
        const [first] = addresses;
        if (!first || addresses.some(({ family }) => family === 0))
          return callback(new NameResolutionError(), '');
        if (guard === 'public_only' && !addressTexts.every(isPublicAddress))
          return callback(new AddressRefusedError(), '');
        if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      () => callback(new NameResolutionError(), ''),
    );
  };
}
