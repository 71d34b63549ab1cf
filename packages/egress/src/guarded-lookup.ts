import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './addresses.js';

/** All addresses of a name, in the order in which they are to be tried. */
export type HostResolver = (host: string) => Promise<readonly string[]>;

export const systemResolver: HostResolver = async (host) =>
  (await systemLookup(host, { all: true, order: 'verbatim' })).map(({ address }) => address);

/** The name leads to an address that may not be reached. */
export class AddressRefusedError extends Error {
  readonly code = 'ADDRESS_REFUSED';

  constructor() {
    super('the address may not be reached');
  }
}

/** The name cannot be looked up. */
export class NameResolutionError extends Error {
  constructor() {
    super('the name cannot be looked up');
  }
}

/**
 * A `lookup` for `net.connect` that resolves once and answers what it has checked, so that the address that was checked
 * is the address that is dialled. One private address among public ones refuses them all.
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
