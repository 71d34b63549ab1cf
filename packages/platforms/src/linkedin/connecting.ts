import { ok, type Connecting, type FoundAccount, type Session } from '@switchboard/platform-kit';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { listAllPages } from '@switchboard/platform-kit/list-all-pages';
import { requestJson, encodeUrn } from './client.js';
import { listPage } from './list-page.js';
import { organization, profile, roles, userInfo, type Organization } from './wire.js';

/** With these roles a member may post for a page; the others read metrics or applicants. */
const POSTING_ROLES = [
  'ADMINISTRATOR',
  'CONTENT_ADMINISTRATOR',
  'CONTENT_ADMIN',
  'DIRECT_SPONSORED_CONTENT_POSTER',
];
const PAGES_MAX = 5;

/** For a login to an app with open products only. */
export const usesOpenProducts = ({ grantedPermissions }: Session): boolean =>
  grantedPermissions.includes('openid');
export const isPage = (id: string): boolean => id.startsWith('urn:li:organization:');

export const connecting: Connecting = {
  async identify(session) {
    if (usesOpenProducts(session)) return fetchMemberByOpenId(session);
    const member = await fetchMemberByProfile(session);
    if (!member.ok) return member;
    const pages = await listPages(session);
    return pages.ok ? ok([member.value, ...pages.value]) : pages;
  },
};

async function fetchMemberByOpenId(session: Session): AdapterResult<readonly FoundAccount[]> {
  const me = await requestJson(session, '/v2/userinfo', userInfo);
  if (!me.ok) return me;
  const { sub, name, picture } = me.value;
  const id = `urn:li:person:${sub}`;
  return ok([{ id, username: null, name: name || null, avatarUrl: picture || null, url: null }]);
}

async function fetchMemberByProfile(session: Session): AdapterResult<FoundAccount> {
  const me = await requestJson(session, '/v2/me', profile);
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

async function listPages(session: Session): AdapterResult<readonly FoundAccount[]> {
  const request = { path: '/rest/organizationAcls', query: { q: 'roleAssignee', state: 'APPROVED' } };
  const result = await listAllPages(PAGES_MAX, (start) => listPage(session, request, roles, start));
  if (!result.ok) return result;
  const posting = result.value.filter(
    ({ organization: urn, role, state }) =>
      state === 'APPROVED' && POSTING_ROLES.includes(role) && isPage(urn),
  );
  const found: FoundAccount[] = [];
  for (const urn of new Set(posting.map(({ organization: urn }) => urn))) {
    const page = await fetchPage(session, urn);
    if (!page.ok) return page;
    found.push(page.value);
  }
  return ok(found);
}

/** A member who may post but not administer the page does not receive its name. */
async function fetchPage(session: Session, urn: string): AdapterResult<FoundAccount> {
  const path = `/rest/organizations/${encodeUrn(urn.split(':').at(-1) ?? '')}`;
  const result = await requestJson(session, path, organization, () => ok<Organization>({}));
  if (!result.ok) return result;
  const { localizedName: name, vanityName } = result.value;
  return ok({
    id: urn,
    username: vanityName ?? null,
    name: name || null,
    avatarUrl: null,
    url: vanityName ? `https://www.linkedin.com/company/${encodeURIComponent(vanityName)}/` : null,
  });
}
