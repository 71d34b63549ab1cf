import { ok, type Connecting, type FoundAccount, type Session } from '@switchboard/platform-kit';
import { listAllPages } from '@switchboard/platform-kit/list-all-pages';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { readEach } from '@switchboard/platform-kit/read-metrics';
import { isLocation, locationOf } from './location-of.js';
import { otherBaseUrls } from './manifest.js';
import { accounts, location, locations, requestJson, type Location } from './wire.js';

const READ_MASK = 'name,title,storefrontAddress,metadata';
/** More accounts per page are refused. */
const ACCOUNTS_PAGE = 20;
const ACCOUNTS_PAGES_MAX = 10;
const LOCATIONS_PAGE = 100;
const LOCATIONS_PAGES_MAX = 10;
const CONCURRENCY = 4;

export const connecting: Connecting = {
  /** A user's login opens the locations of all accounts; the id of each has both, as posts require. */
  async identify(session) {
    if (isLocation(session)) {
      const { account, location: name } = locationOf(session);
      const path = `${otherBaseUrls.locations}/v1/${name}`;
      const itself = await requestJson(session, { path, query: { readMask: READ_MASK } }, location);
      return itself.ok ? ok([accountOf(account, itself.value)]) : itself;
    }
    const owned = await listAccounts(session);
    if (!owned.ok) return owned;
    const found = await readEach(owned.value, CONCURRENCY, (account) => listLocations(session, account));
    if (!found.ok) return found;
    const known = new Map<string, FoundAccount>();
    // In a fixed order, so that a location that several accounts manage keeps its id.
    for (const account of owned.value.toSorted(byNumber)) {
      for (const one of found.value.get(account) ?? []) {
        if (!known.has(one.name)) known.set(one.name, accountOf(account, one));
      }
    }
    return ok([...known.values()]);
  },
};

const byNumber = (one: string, other: string) => one.length - other.length || (one < other ? -1 : 1);

const listAccounts = (session: Session): AdapterResult<readonly string[]> =>
  listAllPages(ACCOUNTS_PAGES_MAX, async (pageToken) => {
    const path = `${otherBaseUrls.accounts}/v1/accounts`;
    const listed = await requestJson(
      session,
      { path, query: { pageSize: ACCOUNTS_PAGE, pageToken } },
      accounts,
    );
    if (!listed.ok) return listed;
    const found = listed.value.accounts.map(({ name }) => name);
    return ok({ found, next: listed.value.nextPageToken || undefined });
  });

const listLocations = (session: Session, account: string): AdapterResult<readonly Location[]> =>
  listAllPages(LOCATIONS_PAGES_MAX, async (pageToken) => {
    const path = `${otherBaseUrls.locations}/v1/${account}/locations`;
    const query = { readMask: READ_MASK, pageSize: LOCATIONS_PAGE, pageToken };
    const listed = await requestJson(session, { path, query }, locations);
    if (!listed.ok) return listed;
    return ok({ found: listed.value.locations, next: listed.value.nextPageToken || undefined });
  });

/** With its address: the locations of a chain have one title. */
function accountOf(account: string, { name, title, storefrontAddress, metadata }: Location): FoundAccount {
  const { addressLines, locality } = storefrontAddress ?? {};
  const address = [addressLines?.[0], locality].filter(Boolean).join(', ');
  return {
    id: `${account}/${name}`,
    username: null,
    name: [title, address && `(${address})`].filter(Boolean).join(' ') || null,
    avatarUrl: null,
    url: metadata?.mapsUri || null,
  };
}
