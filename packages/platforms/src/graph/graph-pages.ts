import {
  ok,
  Secret,
  type FoundAccount,
  type PlatformFailureCode,
  type Session,
} from '@switchboard/platform-kit';
import { z } from 'zod';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { requestGraph, graphList, graphPage, type GraphList } from './graph.js';
import { readEach } from '@switchboard/platform-kit/read-metrics';

/**
 * Without it the list contains only the pages on which a person has a role, not those of a business that the
 * person works for.
 */
const BUSINESSES = 'business_management';

const tokenErrors = { ended: ['190'], app: ['1', '101'] };

/** A person's login at Facebook, with the permissions that their pages need. */
export const facebookLogin = (needed: readonly string[]) => ({
  authorizePath: '/{api_version}/dialog/oauth',
  tokenPath: '/{api_version}/oauth/access_token',
  // Revocation applies to the person's whole grant and would end the logins of their other pages.
  revokePath: null,
  permissions: [...new Set(needed), BUSINESSES],
  permissionSeparator: ',' as const,
  // Requests declined permissions again.
  authorizeParams: { auth_type: 'rerequest' },
  longLived: {
    path: '/{api_version}/oauth/access_token',
    grantType: 'fb_exchange_token',
    tokenParameter: 'fb_exchange_token',
    app: ['id', 'secret'] as const,
  },
  tokenErrors,
});

/** An account's own login at Instagram or Threads, whose tokens are exchanged for long-lived ones. */
export const accountLogin = (prefix: 'ig' | 'th', needed: readonly string[]) => ({
  authorizePath: '/oauth/authorize',
  tokenPath: '/oauth/access_token',
  permissions: [...new Set(needed)],
  permissionSeparator: ',' as const,
  longLived: {
    path: '/access_token',
    grantType: `${prefix}_exchange_token`,
    tokenParameter: 'access_token',
    app: ['secret'] as const,
  },
  renewal: {
    path: '/refresh_access_token',
    grantType: `${prefix}_refresh_token`,
    tokenParameter: 'access_token',
    app: [],
  },
  tokenErrors,
});

const LIMIT = 100;
const LISTS_MAX = 20;
/** Interactive: a person is waiting for the response. */
const LOGINS_MAX = 100;
const CONCURRENCY = 4;

/** The fields that are requested for every page in addition. */
export const pageRow = z.object({
  id: z.string().regex(/^\w+$/),
  /** The person's tasks on the page; only `/me/accounts` returns them. */
  tasks: z.array(z.string()).nullish(),
  access_token: z.string().min(1).nullish(),
});
type PageRow = z.infer<typeof pageRow>;

const ownToken = pageRow.pick({ access_token: true });
const permissions = z.object({
  data: z.array(z.object({ permission: z.string(), status: z.string() })),
});

/** Which pages to list and which fields to request. */
interface PageQuery<Page extends PageRow> {
  /** The requesting platform. */
  readonly name: string;
  readonly fields: string;
  readonly page: z.ZodType<Page>;
  readonly isRelevant?: (page: Page) => boolean;
  /** The page task that a permission requires to be effective. */
  readonly tasks: Readonly<Record<string, string | undefined>>;
}

interface PageWithGrant<Page> {
  readonly page: Page;
  /** The page's own long-lived token, and the granted permissions that are effective there. */
  readonly grant: Required<Pick<FoundAccount, 'credential' | 'permissions'>>;
}

/** The pages that a person's login gives access to and on which the person may create content. */
export async function listGrantedPages<Page extends PageRow>(
  session: Session,
  requested: PageQuery<Page>,
): AdapterResult<readonly PageWithGrant<Page>[]> {
  const { name, fields, isRelevant = () => true, tasks } = requested;
  const granted = await listGrantedPermissions(session, name);
  if (!granted.ok) return granted;
  const own = await listAll(
    session,
    name,
    '/me/accounts',
    `${fields},tasks,access_token`,
    graphList(requested.page),
  );
  if (!own.ok) return own;
  const ofBusinesses = granted.value.includes(BUSINESSES)
    ? await listBusinessPages(session, requested)
    : ok([]);
  if (!ofBusinesses.ok) return ofBusinesses;
  const known = new Set(own.value.map(({ id }) => id));
  const others = new Map(ofBusinesses.value.filter(({ id }) => !known.has(id)).map((one) => [one.id, one]));

  const pages = [...own.value, ...others.values()].filter(
    (one) => isRelevant(one) && hasTask(one, 'CREATE_CONTENT'),
  );
  const closed = pages.filter(({ access_token: token }) => !token).map(({ id }) => id);
  const opened = await readEach(closed.slice(0, LOGINS_MAX), CONCURRENCY, (id) =>
    fetchPageToken(session, name, id),
  );
  if (!opened.ok) return opened;
  return ok(
    pages.flatMap((page) => {
      const token = page.access_token ?? opened.value.get(page.id);
      if (!token) return [];
      const allowed = granted.value.filter((permission) => hasTask(page, tasks[permission]));
      return { page, grant: { credential: new Secret(token), permissions: allowed } };
    }),
  );
}

/** A longer list is truncated to the maximum that is read. */
async function listAll<One>(
  session: Session,
  name: string,
  path: string,
  fields: string,
  schema: z.ZodType<GraphList<One>>,
): AdapterResult<readonly One[]> {
  const all: One[] = [];
  let after: string | undefined;
  for (let lists = 0; lists < LISTS_MAX; lists++) {
    const query = { fields, limit: LIMIT, after };
    const listed = await requestGraph(session, name, { path, query }, schema);
    if (!listed.ok) return listed;
    const { found, next } = graphPage(listed.value);
    all.push(...found);
    if (next === undefined) break;
    after = next;
  }
  return ok(all);
}

/** Pages without task information are included; the request itself decides. */
const hasTask = ({ tasks }: PageRow, task: string | undefined): boolean =>
  task === undefined || tasks == null || tasks.includes(task) || tasks.includes('MANAGE');

/** A token does not reveal the permissions that were granted with it. */
async function listGrantedPermissions(session: Session, name: string): AdapterResult<readonly string[]> {
  const result = await requestGraph(session, name, '/me/permissions', permissions);
  if (!result.ok) return result;
  return ok(
    result.value.data.filter(({ status }) => status === 'granted').map(({ permission }) => permission),
  );
}

/** Pages of the businesses that the person works for; none if that permission is missing. */
async function listBusinessPages<Page extends PageRow>(
  session: Session,
  { name, fields, page }: PageQuery<Page>,
): AdapterResult<readonly Page[]> {
  const some = `limit(${LIMIT}){${fields},access_token}`;
  const requested = `id,owned_pages.${some},client_pages.${some}`;
  const pages = graphList(page).nullish();
  const businesses = graphList(z.object({ owned_pages: pages, client_pages: pages }));
  const listed = await listAll(session, name, '/me/businesses', requested, businesses);
  if (!listed.ok) return isRefusal(listed.failure.code) ? ok([]) : listed;
  return ok(
    listed.value.flatMap(({ owned_pages: owned, client_pages: client }) => [
      ...(owned?.data ?? []),
      ...(client?.data ?? []),
    ]),
  );
}

/** The page's own token, which lists of businesses omit; null if the person has none. */
async function fetchPageToken(session: Session, name: string, id: string): AdapterResult<string | null> {
  const query = { fields: 'access_token' };
  const result = await requestGraph(session, name, { path: `/${encodeURIComponent(id)}`, query }, ownToken);
  if (!result.ok) return isRefusal(result.failure.code) ? ok(null) : result;
  return ok(result.value.access_token ?? null);
}

const isRefusal = (code: PlatformFailureCode): boolean =>
  code === 'platform.refused' || code === 'platform.permission_missing';
