import { ok, refuse, type Publishing, type PublishItem, type Session } from '@switchboard/platform-kit';
import { appendLink } from '@switchboard/platform-kit/append-link';
import { utf8Bytes } from '@switchboard/platform-kit/counting/utf8-bytes';
import { findRecentPosts, resolveSingleMatchWithOptions } from '@switchboard/platform-kit/find-recent-posts';
import { normalizeText } from '@switchboard/platform-kit/normalize-text';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { z } from 'zod';
import { account, article, listArticles, requestJson, whenMissing, type OwnArticle } from './client.js';
import { optionsOf, postList } from './manifest.js';

const PAGES_MAX = 20;
/** When one article is looked for. */
const PER_PAGE = 100;
const TAG = /^[\p{L}\p{N}]{1,30}$/u;
const tagsOf = (tags: readonly string[] = []) => tags.map((tag) => tag.toLowerCase());
const isSameText = (stored: string, own: string) => normalizeText(stored) === normalizeText(own);
const isSame = (stored: OwnArticle, item: PublishItem) =>
  isSameText(stored.title, item.title ?? '') && isSameText(stored.body_markdown, appendLink(item));

export const part = ({ id, url }: z.infer<typeof article>) => ({ externalId: String(id), url, receipt: {} });

export const publishing: Publishing = {
  count: utf8Bytes,
  finalText: appendLink,

  check(draft) {
    const { tags = [], canonical_url: canonicalUrl } = optionsOf(draft);
    const invalid = (path: string, message: string) => ({ path, code: 'field.invalid', message }) as const;
    return [
      // Front matter would replace the title and the tags, and may leave the article unpublished.
      ...(draft.text.trimStart().startsWith('---\n')
        ? [invalid('text', 'must not begin with front matter (---).')]
        : []),
      ...(tags.every((tag) => TAG.test(tag))
        ? []
        : [invalid('options.tags', 'must consist of letters and digits.')]),
      ...(canonicalUrl === undefined || (URL.canParse(canonicalUrl) && /^https?:/.test(canonicalUrl))
        ? []
        : [invalid('options.canonical_url', 'must be an http or https address.')]),
    ];
  },

  async publish(session, item) {
    const { tags, canonical_url: canonicalUrl } = optionsOf(item);
    const content = {
      title: item.title ?? '',
      body_markdown: appendLink(item),
      // Drafts and times are Switchboard's.
      published: true,
      ...(tags !== undefined && { tags: tagsOf(tags) }),
      ...(canonicalUrl !== undefined && { canonical_url: canonicalUrl }),
    };
    const posted = await requestJson(
      session,
      { method: 'POST', path: '/api/articles', json: { article: content }, effect: 'write' },
      article,
      ({ message }) =>
        /already been used in the last five minutes/.test(message)
          ? refuse(
              'platform.duplicate_content',
              'An article with this title was published in the last five minutes.',
            )
          : undefined,
    );
    return posted.ok ? ok(part(posted.value)) : posted;
  },

  async find(session, item) {
    const recent = await findRecentPosts(
      item,
      async (page = '1') => {
        const listed = await listArticles(session, Number(page), postList.postsPerPage);
        if (!listed.ok) return listed;
        const isLast = listed.value.length < postList.postsPerPage;
        return ok({ found: listed.value, next: isLast ? undefined : String(Number(page) + 1) });
      },
      { pagesMax: PAGES_MAX, newestFirst: true, createdAtOf: ({ published_at: time }) => time },
    );
    if (!recent.ok) return recent;
    const { tags, canonical_url: canonicalUrl } = optionsOf(item);
    const hasOptions = (one: OwnArticle) =>
      // Without another one the canonical address is the article's own.
      one.canonical_url === (canonicalUrl ?? one.url) &&
      [...one.tag_list].sort().join() === [...tagsOf(tags)].sort().join();
    const same = recent.value.filter((one) => isSame(one, item));
    const found = resolveSingleMatchWithOptions(same, hasOptions);
    return found.ok ? ok(found.value && part(found.value)) : found;
  },

  /** What is omitted stays, also whether it is published: a draft is not edited. */
  async edit(session, { externalId }, item) {
    const listed = await findOwnArticle(session, externalId);
    if (!listed.ok) return listed;
    if (listed.value === null) return refuse('platform.refused', 'The article is not published any more.');
    const path = `/api/articles/${encodeURIComponent(externalId)}`;
    const json = { article: { title: item.title ?? '', body_markdown: appendLink(item) } };
    const edited = await requestJson(session, { method: 'PUT', path, json, effect: 'write' }, article);
    return edited.ok ? ok() : edited;
  },

  async isEdited(session, { externalId }, item) {
    const listed = await findOwnArticle(session, externalId);
    return listed.ok ? ok(listed.value !== null && isSame(listed.value, item)) : listed;
  },

  /** An article is public for every key, so that the key is checked first. */
  async exists(session, { externalId }) {
    const me = await requestJson(session, '/api/users/me', account);
    if (!me.ok) return me;
    const path = `/api/articles/${encodeURIComponent(externalId)}`;
    const seen = await requestJson(session, path, article, whenMissing);
    return seen.ok ? ok(seen.value !== null) : seen;
  },

  /** It becomes a draft: the API deletes no articles. */
  async remove(session, { externalId }) {
    const path = `/api/articles/${encodeURIComponent(externalId)}`;
    const json = { article: { published: false } };
    const request = { method: 'PUT', path, json, effect: 'idempotent' } as const;
    const removed = await requestJson(session, request, z.unknown(), whenMissing);
    return removed.ok ? ok() : removed;
  },
};

/** A published article of the account; a single article is served from a cache. */
async function findOwnArticle(session: Session, externalId: string): AdapterResult<OwnArticle | null> {
  for (let page = 1; page <= PAGES_MAX; page++) {
    const listed = await listArticles(session, page, PER_PAGE);
    if (!listed.ok) return listed;
    const found = listed.value.find(({ id }) => String(id) === externalId);
    if (found) return ok(found);
    if (listed.value.length < PER_PAGE) return ok(null);
  }
  return refuse('platform.refused', `Only the newest ${PAGES_MAX * PER_PAGE} articles are edited.`);
}
