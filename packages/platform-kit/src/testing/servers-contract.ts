import { expect, test } from '@jest/globals';
import { accountServerOf, isSameAccount, type AccountIdentity } from '@switchboard/domain/connections';
import type { Platform } from '@switchboard/domain/ports';
import { createContractContext } from './contract-context.js';
import type { World } from './world.js';

/**
 * For platforms on which every account has its own server: accounts with the same ID on two servers are two
 * accounts. Otherwise one connection would take over the other, and its posts would be published at the wrong
 * server. Only if the world cites evidence that IDs are unique over all servers is one ID on two servers one
 * account.
 */
export function serversContract(platform: Platform, start: () => Promise<World>): void {
  if (platform.manifest.baseUrl !== null) return;
  test(`${platform.manifest.id} distinguishes the accounts of two servers`, async () => {
    const worlds = [await start(), await start()] as const;
    try {
      expect(await serverViolations(platform, ...worlds)).toEqual([]);
    } finally {
      for (const world of worlds) await world.close();
    }
  });
}

/** The violations in the identities of the accounts on two servers, which may have the same IDs. */
export async function serverViolations(
  platform: Platform,
  one: World,
  other: World,
): Promise<readonly string[]> {
  const violations: string[] = [];
  const identitiesAt = async (world: World): Promise<readonly AccountIdentity[]> => {
    const elsewhere = world === one ? other : one;
    const before = elsewhere.requests();
    const bench = createContractContext(platform, () => world);
    const accounts = bench.value(await platform.connecting.identify(bench.open()));
    if (elsewhere.requests() > before) violations.push('the other server was asked');
    const server = accountServerOf(platform.manifest, world.baseUrl);
    return accounts.map(({ id }) => ({ platform: platform.manifest.id, server, id }));
  };
  const [here, there] = [await identitiesAt(one), await identitiesAt(other)];
  if (here.length === 0 || there.length === 0) violations.push('a server shows no account');
  const shared: string[] = [];
  for (const identity of here) {
    if (there.some((another) => isSameAccount(identity, another)))
      shared.push(`two servers share the account ${identity.server} ${identity.id}`);
  }
  return one.sharedAccountReason === undefined ? [...violations, ...shared] : violations;
}
