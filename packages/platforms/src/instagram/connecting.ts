import {
  ok,
  type RemoteAccount,
  type Connecting,
  type FoundAccount,
  type Session,
} from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { listGrantedPages } from '../graph/graph-pages.js';
import { manifest } from './manifest.js';
import { requestJson, page, profile, type Account } from './wire.js';
import { pageLogin } from './connect-methods.js';

const ACCOUNT_FIELDS = 'user_id,username,name,profile_picture_url';
const PAGE_FIELDS = 'instagram_business_account{id,username,name,profile_picture_url}';

export const isPageLogin = ({ connectMethod }: Pick<Session, 'connectMethod'>): boolean =>
  connectMethod === pageLogin.id;

export const connecting: Connecting = {
  identify: (session) => {
    if (!isPageLogin(session)) return identifyAccount(session);
    return session.account.id === '' ? listPageAccounts(session) : identifyPageAccount(session);
  },
};

async function identifyAccount(session: Session): AdapterResult<readonly FoundAccount[]> {
  const query = { fields: ACCOUNT_FIELDS };
  const me = await requestJson(session, { path: '/me', query }, profile);
  if (!me.ok) return me;
  const { user_id: id, ...rest } = me.value;
  return ok([accountOf({ id, ...rest })]);
}

/** A person's login opens pages, each with its own token; an account is accessed with that of its page. */
async function listPageAccounts(session: Session): AdapterResult<readonly FoundAccount[]> {
  const pages = await listGrantedPages(session, {
    name: manifest.name,
    fields: `id,${PAGE_FIELDS}`,
    page,
    isRelevant: (one) => one.instagram_business_account != null,
    // The task to create content on a page includes all other permissions for its account.
    tasks: {},
  });
  if (!pages.ok) return pages;
  return ok(
    pages.value.flatMap(({ page: { instagram_business_account: account }, grant }) =>
      account ? { ...accountOf(account), ...grant } : [],
    ),
  );
}

/** With a page's own token `/me` is the page. */
async function identifyPageAccount(session: Session): AdapterResult<readonly FoundAccount[]> {
  const query = { fields: PAGE_FIELDS };
  const me = await requestJson(session, { path: '/me', query }, page);
  if (!me.ok) return me;
  const { instagram_business_account: account } = me.value;
  return ok(account ? [accountOf(account)] : []);
}

const accountOf = ({ id, username, name, profile_picture_url: avatarUrl }: Account): RemoteAccount => ({
  id,
  username: username ?? null,
  name: name || null,
  avatarUrl: avatarUrl || null,
  url: username ? `https://www.instagram.com/${username}/` : null,
});
