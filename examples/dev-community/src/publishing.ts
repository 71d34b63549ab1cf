import { ok, refuse, type Publishing, type PublishItem, type Session } from '@switchboard/platform-kit';
import { appendLink } from '@switchboard/platform-kit/append-link';
import { utf8Bytes } from '@switchboard/platform-kit/counting/utf8-bytes';
import { findRecentPosts, resolveSingleMatchWithOptions } from '@switchboard/platform-kit/find-recent-posts';
import { normalizeText } from '@switchboard/platform-kit/normalize-text';
import type { AdapterResult } from '@switchboard/platform-kit/platform-client';
import { z } from 'zod';
import { article, listArticles, requestJson, type OwnArticle } from './client.js';
import { optionsOf, PER_PAGE } from './manifest.js';

const PAGES_MAX = 20;
/** When one article is looked for. */
const LOOKUP_PER_PAGE = 100;
const TAG = /^[\p{L}\p{N}]{1,30}$/u;
export const part = ({ id, url }: z.infer<typeof article>) => ({ externalId: String(id), url, receipt: {} });
const pathOf = (externalId: string) => `/api/articles/${encodeURIComponent(externalId)}`;
const contentOf = (item: PublishItem) => ({ title: item.title ?? '', body_markdown: appendLink(item) });
const tagsOf = (item: PublishItem) => (optionsOf(item).tags ?? []).map((tag) => tag.toLowerCase());
const isSame = (stored: OwnArticle, item: PublishItem) =>
  normalizeText(stored.title) === normalizeText(item.title ?? '') &&
  normalizeText(stored.body_markdown) === normalizeText(appendLink(item));

const isGone = refuse('platform.refused', 'The article is not published any more.');

export const publishing: Publishing = {
  count: utf8Bytes,
  finalText: appendLink,

  check(draft) {
    const { tags = [], canonical_url: canonicalUrl } = optionsOf(draft);
    const invalid = (path: string, message: string) => ({ path, code: 'field.invalid', message }) as const;
    const isAddress =
      canonicalUrl === undefined || (URL.canParse(canonicalUrl) && /^https?:/.test(canonicalUrl));
    return [
      // Front matter would replace the title and the tags, and may leave the article unpublished.
      ...(draft.text.trimStart().startsWith('---\n')
        ? [invalid('text', 'must not begin with front matter (---).')]
        : []),
      ...(tags.every((tag) => TAG.test(tag))
        ? []
        : [invalid('options.tags', 'must consist of letters and digits.')]),
      ...(isAddress ? [] : [invalid('options.canonical_url', 'must be an http or https address.')]),
    ];
  },

  async publish(session, item) {
    const { canonical_url: canonicalUrl } = optionsOf(item);
    const content = {
      ...contentOf(item),
      // Drafts and times are Switchboard's.
      published: true,
      tags: tagsOf(item),
      ...(canonicalUrl !== undefined && { canonical_url: canonicalUrl }),
    };
    const request = {
      method: 'POST',
      path: '/api/articles',
      json: { article: content },
      effect: 'write',
    } as const;
    const posted = await requestJson(session, request, article, ({ message }) =>
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
        const listed = await listArticles(session, Number(page), PER_PAGE);
        if (!listed.ok) return listed;
        const isLast = listed.value.length < PER_PAGE;
        return ok({ found: listed.value, next: isLast ? undefined : String(Number(page) + 1) });
      },
      { pagesMax: PAGES_MAX, newestFirst: true, createdAtOf: ({ published_at: time }) => time },
    );
    if (!recent.ok) return recent;
    const tags = tagsOf(item).sort().join();
    const { canonical_url: canonicalUrl } = optionsOf(item);
    const found = resolveSingleMatchWithOptions(
      recent.value.filter((one) => isSame(one, item)),
      ({ tag_list: stored, canonical_url: canonical, url }) =>
        // Without another one the canonical address is the article's own.
        [...stored].sort().join() === tags && canonical === (canonicalUrl ?? url),
    );
    return found.ok ? ok(found.value && part(found.value)) : found;
  },

  async exists(session, { externalId }) {
    const found = await findOwn(session, externalId);
    return found.ok ? ok(found.value !== null) : found;
  },

  /** What is omitted stays, also whether it is published: a draft is not edited. */
  async edit(session, { externalId }, item) {
    const found = await findOwn(session, externalId);
    if (!found.ok) return found;
    if (found.value === null) return isGone;
    const request = {
      method: 'PUT',
      path: pathOf(externalId),
      json: { article: contentOf(item) },
      effect: 'write',
    } as const;
    const edited = await requestJson(session, request, article);
    if (!edited.ok) return edited;
    // The response does not say whether the article is published.
    const seen = await findOwn(session, externalId);
    if (!seen.ok) return refuse('platform.outcome_unknown', 'The edited article could not be looked up.');
    return seen.value === null ? isGone : ok();
  },

  async isEdited(session, { externalId }, item) {
    const found = await findOwn(session, externalId);
    return found.ok ? ok(found.value !== null && isSame(found.value, item)) : found;
  },

  /** It becomes a draft: the API deletes no articles. */
  async remove(session, { externalId }) {
    const json = { article: { published: false } };
    const request = { method: 'PUT', path: pathOf(externalId), json, effect: 'idempotent' } as const;
    const removed = await requestJson(session, request, z.unknown(), ({ code }) =>
      code === '404' ? ok(null) : undefined,
    );
    return removed.ok ? ok() : removed;
  },
};

/** A published article of the account; a single article is served from a cache. */
async function findOwn(session: Session, externalId: string): AdapterResult<OwnArticle | null> {
  for (let page = 1; page <= PAGES_MAX; page++) {
    const listed = await listArticles(session, page, LOOKUP_PER_PAGE);
    if (!listed.ok) return listed;
    const found = listed.value.find(({ id }) => String(id) === externalId);
    if (found) return ok(found);
    if (listed.value.length < LOOKUP_PER_PAGE) return ok(null);
  }
  return refuse('platform.refused', `Only the newest ${PAGES_MAX * LOOKUP_PER_PAGE} articles are found.`);
}
