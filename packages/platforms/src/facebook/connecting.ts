import { ok, type RemoteAccount, type Connecting } from '@switchboard/platform-kit';
import { listGrantedPages } from '../graph/graph-pages.js';
import { requestJson } from './client.js';
import { manifest } from './manifest.js';
import { page, type Page } from './wire.js';

const fields = 'id,name,username,link,picture{url}';

/** A page's tasks for a person are checked in addition to the permissions granted to the app. */
const tasks = {
  pages_manage_posts: 'CREATE_CONTENT',
  pages_manage_engagement: 'MODERATE',
  pages_read_user_content: 'MODERATE',
  read_insights: 'ANALYZE',
};

export const connecting: Connecting = {
  /** A person's login opens pages, each with its own token; from then on only the page's token is used. */
  async identify(session) {
    if (session.account.id === '') {
      const pages = await listGrantedPages(session, { name: manifest.name, fields, page, tasks });
      return pages.ok ? ok(pages.value.map((one) => ({ ...accountOf(one.page), ...one.grant }))) : pages;
    }
    const itself = await requestJson(session, { path: '/me', query: { fields } }, page);
    return itself.ok ? ok([accountOf(itself.value)]) : itself;
  },
};

const accountOf = ({ id, name, username, link, picture }: Page): RemoteAccount => ({
  id,
  username: username ?? null,
  name: name || null,
  avatarUrl: picture?.data?.url || null,
  url: link || `https://www.facebook.com/${id}`,
});
