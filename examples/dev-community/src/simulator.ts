import type { PublishedPart } from '@switchboard/platform-kit';
import { fieldsOf, okResponse, textOf, textsOf } from '@switchboard/simulators';
import { headerLocation } from '@switchboard/platform-kit/testing/key-location';
import { startRoutes } from '@switchboard/platform-kit/testing/simulator';

interface Article {
  readonly id: number;
  readonly url: string;
  title: string;
  body_markdown: string;
  readonly tag_list: readonly string[];
  readonly canonical_url: string;
  published: boolean;
  readonly published_at: string;
}
const error = (status: number, message: string) => ({ status, json: { error: message, status } });
const counts = { page_views_count: 120, public_reactions_count: 9, comments_count: 2 };
const findFault = (title: string, text: string) =>
  (title === '' && "Title can't be blank") ||
  ([...title].length > 128 && 'Title is too long') ||
  (Buffer.byteLength(text) > 800 * 1024 && 'Body markdown is too long');

/** DEV Community as documented: https://developers.forem.com/api/v1 */
export function startWorld() {
  const articles: Article[] = [];
  let edits = 0;
  const find = (id: unknown) => articles.find((one) => one.id === Number(id));
  function add(title: string, text: string, content: Readonly<Record<string, unknown>>) {
    const id = articles.length + 1;
    const url = `https://dev.to/alice/article-${id}`;
    const article = {
      id,
      url,
      title,
      body_markdown: text,
      tag_list: textsOf(content['tags']),
      canonical_url: textOf(content['canonical_url']) || url,
      published: content['published'] === true,
      published_at: new Date().toISOString(),
    };
    articles.push(article);
    return article;
  }
  let target: PublishedPart | undefined;
  const addTarget = () => ({
    externalId: String(add('A title', '', { published: true }).id),
    url: null,
    receipt: {},
  });
  const key = headerLocation('api-key');
  return startRoutes({
    account: { id: '42', username: 'alice', name: 'Alice', avatarUrl: null, url: null },
    routes: {
      'GET /api/users/me': () =>
        okResponse({ id: 42, username: 'alice', name: 'Alice', profile_image: null }),
      'POST /api/articles': ({ body }) => {
        const content = fieldsOf(fieldsOf(body)['article']);
        const [title, text] = [textOf(content['title']), textOf(content['body_markdown'])];
        const fault = findFault(title, text);
        if (fault) return error(422, `Validation failed: ${fault}`);
        return { status: 201, json: add(title, text, content) };
      },
      'GET /api/articles/me/published': ({ query }) => {
        const [page, size] = [Number(query.get('page')), Number(query.get('per_page'))];
        const published = articles.filter((one) => one.published).toReversed();
        return okResponse(
          published.slice((page - 1) * size, page * size).map((one) => ({ ...one, ...counts })),
        );
      },
      'PUT /api/articles/:id': ({ params, body }) => {
        const article = find(params['id']);
        if (!article) return error(404, 'not found');
        const { published, title, body_markdown: text } = fieldsOf(fieldsOf(body)['article']);
        const fault = findFault(textOf(title ?? article.title), textOf(text ?? article.body_markdown));
        if (fault) return error(422, fault);
        if (published !== undefined) article.published = published === true;
        else edits += 1;
        if (title !== undefined) article.title = textOf(title);
        if (text !== undefined) article.body_markdown = textOf(text);
        return okResponse(article);
      },
    },
    error,
    effects: () => articles.length,
    textOf: (id) => find(id)?.body_markdown ?? '',
    titleOf: (id) => find(id)?.title ?? null,
    facts: {
      needs: { title: 'A title' },
      optionSamples: {
        tags: [['pottery'], ['glazes', 'kilns']],
        canonical_url: ['https://blog.example/one', 'https://blog.example/two'],
      },
      edits: () => edits,
      requestsBefore: { edit: 1 },
      editTarget: () => (target ??= addTarget()),
      wireValues: { 'tags=pottery': 'tags=pottery', 'tags=glazes,kilns': 'tags=kilns' },
      // https://developers.forem.com/api/v1#section/Authentication
      keyLocations: { api_key: key, forem: key },
    },
  });
}
