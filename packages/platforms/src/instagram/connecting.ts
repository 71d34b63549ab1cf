import {
  ok,
  type Connecting,
  type FoundAccount,
  type RemoteAccount,
  type Session,
} from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { openedPages } from '../kit/graph-pages.js';
import { ask } from './ask.js';
import { manifest } from './manifest.js';
import { page, profile, type Account } from './wire.js';
import { pageLogin } from './ways.js';

const own = 'user_id,username,name,profile_picture_url';
const ofPage = 'instagram_business_account{id,username,name,profile_picture_url}';

export const isOfPage = ({ way }: Pick<Session, 'way'>): boolean => way === pageLogin.id;

export const connecting: Connecting = {
  identify: (session) => {
    if (!isOfPage(session)) return ownAccount(session);
    return session.account.id === '' ? accountsOfPages(session) : accountOfPage(session);
  },
};

async function ownAccount(session: Session): Answer<readonly FoundAccount[]> {
  const query = { fields: own };
  const me = await ask(session, { method: 'GET', path: '/me', query, effect: 'read' }, profile);
  if (!me.ok) return me;
  const { user_id: id, ...rest } = me.value;
  return ok([accountOf({ id, ...rest })]);
}

/** A person's login opens pages, of which each has its own; an account is asked with that of its page. */
async function accountsOfPages(session: Session): Answer<readonly FoundAccount[]> {
  const pages = await openedPages(session, {
    name: manifest.name,
    fields: `id,${ofPage}`,
    page,
    isMeant: (one) => one.instagram_business_account != null,
    // Whoever may create content on a page may do all the rest with its account.
    tasks: {},
  });
  if (!pages.ok) return pages;
  return ok(
    pages.value.flatMap(({ page: { instagram_business_account: account }, grant }) =>
      account ? { ...accountOf(account), ...grant } : [],
    ),
  );
}

/** Whom a page's own login calls itself is the page. */
async function accountOfPage(session: Session): Answer<readonly FoundAccount[]> {
  const query = { fields: ofPage };
  const me = await ask(session, { method: 'GET', path: '/me', query, effect: 'read' }, page);
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
