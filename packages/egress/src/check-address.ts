import { isPublicAddress } from './addresses.js';
import type { HostResolver } from './guarded-lookup.js';
import type { HostAllowList } from './host-allow-list.js';
import { parseTarget, portOf } from './parse-target.js';

export type AddressProblem = 'invalid_url' | 'address_refused' | 'dns';

/** Checks a URL without a request: null when requests are allowed, `dns` when its name cannot be resolved. */
export async function checkAddress(
  text: string,
  allowList: HostAllowList,
  resolve: HostResolver,
): Promise<AddressProblem | null> {
  const target = parseTarget(text, allowList);
  if (target.kind !== 'fit') return target.kind;
  const { hostname } = target.url;
  if (allowList.allows(hostname, portOf(target.url))) return null;
  const addresses = await resolve(hostname).catch(() => []);
  if (addresses.length === 0) return 'dns';
  return addresses.every(isPublicAddress) ? null : 'address_refused';
}
