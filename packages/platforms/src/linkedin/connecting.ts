import { ok, type Connecting, type FoundAccount, type Session } from '@switchboard/domain';
import type { Answer } from '../kit/answers.js';
import { everyPage } from '../kit/every-page.js';
import { ask, inUrl } from './ask.js';
import { listPage } from './paging.js';
import { organization, profile, roles, userInfo, type Organization } from './wire.js';

/** With these a member may post for a page; the others look at numbers, or at applicants. */
const POSTING = [
  'ADMINISTRATOR',
  'CONTENT_ADMINISTRATOR',
  'CONTENT_ADMIN',
  'DIRECT_SPONSORED_CONTENT_POSTER',
];
const PAGES_MAX = 5;

/** Of a login to an app that has only what every app gets. */
export const isOpen = ({ grantedPermissions }: Session): boolean => grantedPermissions.includes('openid');
export const isPage = (id: string): boolean => id.startsWith('urn:li:organization:');

export const connecting: Connecting = {
  async identify(session) {
    if (isOpen(session)) return memberByOpenId(session);
    const member = await memberByProfile(session);
    if (!member.ok) return member;
    const pages = await pagesOf(session);
    return pages.ok ? ok([member.value, ...pages.value]) : pages;
  },
};

async function memberByOpenId(session: Session): Answer<readonly FoundAccount[]> {
  const me = await ask(session, { method: 'GET', path: '/v2/userinfo', effect: 'read' }, userInfo);
  if (!me.ok) return me;
  const { sub, name, picture } = me.value;
  const id = `urn:li:person:${sub}`;
  return ok([{ id, username: null, name: name || null, avatarUrl: picture || null, url: null }]);
}

async function memberByProfile(session: Session): Answer<FoundAccount> {
  const me = await ask(session, { method: 'GET', path: '/v2/me', effect: 'read' }, profile);
  if (!me.ok) return me;
  const { id, localizedFirstName: first, localizedLastName: last, vanityName } = me.value;
  return ok({
    id: `urn:li:person:${id}`,
    username: vanityName ?? null,
    name: [first, last].filter(Boolean).join(' ') || null,
    avatarUrl: null,
    url: vanityName ? `https://www.linkedin.com/in/${encodeURIComponent(vanityName)}/` : null,
  });
}

async function pagesOf(session: Session): Answer<readonly FoundAccount[]> {
  const request = { path: '/rest/organizationAcls', query: { q: 'roleAssignee', state: 'APPROVED' } };
  const told = await everyPage(PAGES_MAX, (start) => listPage(session, request, roles, start));
  if (!told.ok) return told;
  const posting = told.value.filter(
    ({ organization: urn, role, state }) => state === 'APPROVED' && POSTING.includes(role) && isPage(urn),
  );
  const found: FoundAccount[] = [];
  for (const urn of new Set(posting.map(({ organization: urn }) => urn))) {
    const page = await pageOf(session, urn);
    if (!page.ok) return page;
    found.push(page.value);
  }
  return ok(found);
}

/** Whoever may post and not look after the page is not told what it is called. */
async function pageOf(session: Session, urn: string): Answer<FoundAccount> {
  const path = `/rest/organizations/${inUrl(urn.split(':').at(-1) ?? '')}`;
  const request = { method: 'GET', path, effect: 'read' } as const;
  const told = await ask(session, request, organization, () => ok<Organization>({}));
  if (!told.ok) return told;
  const { localizedName: name, vanityName } = told.value;
  return ok({
    id: urn,
    username: vanityName ?? null,
    name: name || null,
    avatarUrl: null,
    url: vanityName ? `https://www.linkedin.com/company/${encodeURIComponent(vanityName)}/` : null,
  });
}
