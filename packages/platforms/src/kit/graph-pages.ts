import {
  ok,
  Secret,
  type FoundAccount,
  type OAuth2Facts,
  type PlatformFailureCode,
  type Session,
} from '@switchboard/domain';
import { z } from 'zod';
import type { AdapterResult } from './platform-client.js';
import { requestGraph, graphList, graphPage, type GraphList } from './graph.js';
import { readEach } from './read-metrics.js';

/** Without it only the pages are shown that a person has a role on, not those of a business that she works for. */
const BUSINESSES = 'business_management';

/** The login of a person at Facebook, for what her pages need. */
export const facebookLogin = (needed: readonly string[]): OAuth2Facts => ({
  authorizePath: '/{api_version}/dialog/oauth',
  tokenPath: '/{api_version}/oauth/access_token',
  // What can be taken back is all that a person granted: it would end the logins of her other pages.
  revokePath: null,
  permissions: [...new Set(needed), BUSINESSES],
  permissionSeparator: ',',
  pkce: false,
  clientAuth: 'body',
  issuerPath: null,
  // What was declined before is asked for again.
  authorizeParams: { auth_type: 'rerequest' },
  longLived: {
    path: '/{api_version}/oauth/access_token',
    grantType: 'fb_exchange_token',
    tokenParameter: 'fb_exchange_token',
    app: ['id', 'secret'],
  },
  tokenErrors: { ended: ['190'], app: ['1', '101'] },
});

const LIMIT = 100;
const LISTS_MAX = 20;
/** A person waits for what follows. */
const LOGINS_MAX = 100;
const CONCURRENCY = 4;

/** What is told of every page besides what is asked for. */
export const pageRow = z.object({
  id: z.string().regex(/^\w+$/),
  /** What the person may do there; only `/me/accounts` tells. */
  tasks: z.array(z.string()).nullish(),
  access_token: z.string().min(1).nullish(),
});
type PageRow = z.infer<typeof pageRow>;

const ownToken = pageRow.pick({ access_token: true });
const permissions = z.object({
  data: z.array(z.object({ permission: z.string(), status: z.string() })),
});

/** Which pages are meant, and what is to be known of them. */
export interface PageQuery<Page extends PageRow> {
  /** The platform that asks. */
  readonly name: string;
  readonly fields: string;
  readonly page: z.ZodType<Page>;
  readonly isRelevant?: (page: Page) => boolean;
  /** What a page must allow its people to do before a permission is worth something there. */
  readonly tasks: Readonly<Record<string, string | undefined>>;
}

export interface PageWithGrant<Page> {
  readonly page: Page;
  /** The page's own login, which lasts, and what was granted and is worth something there. */
  readonly grant: Required<Pick<FoundAccount, 'credential' | 'permissions'>>;
}

/** The pages that a person's login opens and on which she may create something. */
export async function listGrantedPages<Page extends PageRow>(
  session: Session,
  requested: PageQuery<Page>,
): AdapterResult<readonly PageWithGrant<Page>[]> {
  const { name, fields, isRelevant: isMeant = () => true, tasks } = requested;
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
    (one) => isMeant(one) && hasTask(one, 'CREATE_CONTENT'),
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

/** Whoever has more than can be looked through is shown as many. */
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
    const listed = await requestGraph(session, name, { method: 'GET', path, query, effect: 'read' }, schema);
    if (!listed.ok) return listed;
    const { found, next } = graphPage(listed.value);
    all.push(...found);
    if (next === undefined) break;
    after = next;
  }
  return ok(all);
}

/** Where nobody says what a person may do, it is tried. */
const hasTask = ({ tasks }: PageRow, task: string | undefined): boolean =>
  task === undefined || tasks == null || tasks.includes(task) || tasks.includes('MANAGE');

/** A token does not tell what was granted with it. */
async function listGrantedPermissions(session: Session, name: string): AdapterResult<readonly string[]> {
  const request = { method: 'GET', path: '/me/permissions', effect: 'read' } as const;
  const result = await requestGraph(session, name, request, permissions);
  if (!result.ok) return result;
  return ok(
    result.value.data.filter(({ status }) => status === 'granted').map(({ permission }) => permission),
  );
}

/** Pages of the businesses that the person works for; none where that is not told. */
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

/** The page's own login, which lists of businesses leave out; null where the person has none. */
async function fetchPageToken(session: Session, name: string, id: string): AdapterResult<string | null> {
  const query = { fields: 'access_token' };
  const request = { method: 'GET', path: `/${encodeURIComponent(id)}`, query, effect: 'read' } as const;
  const result = await requestGraph(session, name, request, ownToken);
  if (!result.ok) return isRefusal(result.failure.code) ? ok(null) : result;
  return ok(result.value.access_token ?? null);
}

const isRefusal = (code: PlatformFailureCode): boolean =>
  code === 'platform.refused' || code === 'platform.permission_missing';
