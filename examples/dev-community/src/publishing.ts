import { ok, refuse, type Publishing } from '@switchboard/platform-kit';
import { appendLink } from '@switchboard/platform-kit/append-link';
import { utf8Bytes } from '@switchboard/platform-kit/counting/utf8-bytes';
import { findRecentPosts, resolveSingleMatchWithOptions } from '@switchboard/platform-kit/find-recent-posts';
import { normalizeText } from '@switchboard/platform-kit/normalize-text';
import { z } from 'zod';
import { account, article, listArticles, requestJson, whenMissing, type OwnArticle } from './client.js';
import { optionsOf, postList } from './manifest.js';

const PAGES_MAX = 20;
const TAG = /^[\p{L}\p{N}]{1,30}$/u;
const tagsOf = (tags: readonly string[] = []) => tags.map((tag) => tag.toLowerCase());

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
    const isSame = (stored: string, own: string | null) => normalizeText(stored) === normalizeText(own ?? '');
    const hasOptions = (one: OwnArticle) =>
      // Without another one the canonical address is the article's own.
      one.canonical_url === (canonicalUrl ?? one.url) &&
      [...one.tag_list].sort().join() === [...tagsOf(tags)].sort().join();
    const same = recent.value.filter(
      (one) => isSame(one.title, item.title) && isSame(one.body_markdown, appendLink(item)),
    );
    const found = resolveSingleMatchWithOptions(same, hasOptions);
    return found.ok ? ok(found.value && part(found.value)) : found;
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
