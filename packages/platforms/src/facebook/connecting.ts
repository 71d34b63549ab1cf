import {
  ok,
  Secret,
  type Connecting,
  type FoundAccount,
  type PlatformFailureCode,
  type RemoteAccount,
  type Session,
} from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import type { z } from 'zod';
import { graphPage, type GraphList } from '../kit/graph.js';
import { readEach } from '../kit/read-metrics.js';
import { ask } from './ask.js';
import { BUSINESSES } from './manifest.js';
import { businesses, ownToken, page, permissions, somePages, type Page } from './wire.js';

const fields = 'id,name,username,link,picture{url}';
const LIMIT = 100;
const LISTS_MAX = 20;
/** A person waits for what follows. */
const LOGINS_MAX = 100;
const AT_ONCE = 4;

export const connecting: Connecting = {
  /** A person's login opens pages, of which each has its own; from then on only the page is asked, with that. */
  async identify(session) {
    if (session.account.id === '') return pagesOf(session);
    const itself = await ask(
      session,
      { method: 'GET', path: '/me', query: { fields }, effect: 'read' },
      page,
    );
    return itself.ok ? ok([accountOf(itself.value)]) : itself;
  },
};

async function pagesOf(session: Session): Answer<readonly FoundAccount[]> {
  const granted = await grantedOf(session);
  if (!granted.ok) return granted;
  const own = await allOf(session, '/me/accounts', `${fields},tasks,access_token`, somePages);
  if (!own.ok) return own;
  const ofBusinesses = granted.value.includes(BUSINESSES) ? await pagesOfBusinesses(session) : ok([]);
  if (!ofBusinesses.ok) return ofBusinesses;
  const known = new Set(own.value.map(({ id }) => id));
  const others = new Map(ofBusinesses.value.filter(({ id }) => !known.has(id)).map((one) => [one.id, one]));

  const pages = [...own.value, ...others.values()].filter((one) => may(one, 'CREATE_CONTENT'));
  const closed = pages.filter(({ access_token: token }) => !token).map(({ id }) => id);
  const opened = await readEach(closed.slice(0, LOGINS_MAX), AT_ONCE, (id) => tokenOf(session, id));
  if (!opened.ok) return opened;
  return ok(
    pages.flatMap((one) => {
      const token = one.access_token ?? opened.value.get(one.id);
      if (!token) return [];
      const allowed = granted.value.filter((permission) => may(one, taskFor[permission]));
      return { ...accountOf(one), credential: new Secret(token), permissions: allowed };
    }),
  );
}

/** Whoever has more than can be looked through is shown as many. */
async function allOf<One>(
  session: Session,
  path: string,
  asked: string,
  schema: z.ZodType<GraphList<One>>,
): Answer<readonly One[]> {
  const all: One[] = [];
  let after: string | undefined;
  for (let lists = 0; lists < LISTS_MAX; lists++) {
    const query = { fields: asked, limit: LIMIT, after };
    const listed = await ask(session, { method: 'GET', path, query, effect: 'read' }, schema);
    if (!listed.ok) return listed;
    const { found, next } = graphPage(listed.value);
    all.push(...found);
    if (next === undefined) break;
    after = next;
  }
  return ok(all);
}

/** What a page allows its people to do is one thing more than what they allow the app. */
const taskFor: Readonly<Record<string, string | undefined>> = {
  pages_manage_posts: 'CREATE_CONTENT',
  pages_manage_engagement: 'MODERATE',
  pages_read_user_content: 'MODERATE',
  read_insights: 'ANALYZE',
};

/** Where nobody says what a person may do, it is tried. */
const may = ({ tasks }: Page, task: string | undefined): boolean =>
  task === undefined || tasks == null || tasks.includes(task) || tasks.includes('MANAGE');

/** A token does not tell what was granted with it. */
async function grantedOf(session: Session): Answer<readonly string[]> {
  const request = { method: 'GET', path: '/me/permissions', effect: 'read' } as const;
  const told = await ask(session, request, permissions);
  if (!told.ok) return told;
  return ok(told.value.data.filter(({ status }) => status === 'granted').map(({ permission }) => permission));
}

/** Pages of the businesses that the person works for; none where that is not told. */
async function pagesOfBusinesses(session: Session): Answer<readonly Page[]> {
  const some = `limit(${LIMIT}){${fields},access_token}`;
  const asked = `id,owned_pages.${some},client_pages.${some}`;
  const listed = await allOf(session, '/me/businesses', asked, businesses);
  if (!listed.ok) return isRefusal(listed.failure.code) ? ok([]) : listed;
  return ok(
    listed.value.flatMap(({ owned_pages: owned, client_pages: client }) => [
      ...(owned?.data ?? []),
      ...(client?.data ?? []),
    ]),
  );
}

/** The page's own login, which lists of businesses leave out; null where the person has none. */
async function tokenOf(session: Session, id: string): Answer<string | null> {
  const request = {
    method: 'GET',
    path: `/${id}`,
    query: { fields: 'access_token' },
    effect: 'read',
  } as const;
  const told = await ask(session, request, ownToken);
  if (!told.ok) return isRefusal(told.failure.code) ? ok(null) : told;
  return ok(told.value.access_token ?? null);
}

const isRefusal = (code: PlatformFailureCode): boolean =>
  code === 'platform.refused' || code === 'platform.permission_missing';

const accountOf = ({ id, name, username, link, picture }: Page): RemoteAccount => ({
  id,
  username: username ?? null,
  name: name || null,
  avatarUrl: picture?.data?.url || null,
  url: link || `https://www.facebook.com/${id}`,
});
