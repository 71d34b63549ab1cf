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

function findFault(title: string, text: string): string | null {
  if (title === '') return "Title can't be blank";
  if ([...title].length > 128) return 'Title is too long';
  return Buffer.byteLength(text) > 800 * 1024 ? 'Body markdown is too long' : null;
}

/** The Forem API v1: https://developers.forem.com/api/v1 */
export async function startWorld() {
  const articles: Article[] = [];
  let edits = 0;
  const find = (id: unknown) => articles.find((one) => one.id === Number(id));
  function addArticle(
    title: string,
    text: string,
    tags: readonly string[],
    { canonical_url: canonicalUrl, published }: Readonly<Record<string, unknown>>,
  ) {
    const id = articles.length + 1;
    const url = `https://dev.to/alice/article-${id}`;
    const article = {
      id,
      url,
      title,
      body_markdown: text,
      tag_list: tags,
      canonical_url: textOf(canonicalUrl) || url,
      published: published === true,
      published_at: new Date().toISOString(),
    };
    articles.push(article);
    return article;
  }
  let target: PublishedPart | undefined;
  const addTarget = (): PublishedPart => {
    const { id, url } = addArticle('A title', '', [], { published: true });
    return { externalId: String(id), url, receipt: {} };
  };

  const world = await startRoutes({
    account: { id: '42', username: 'alice', name: 'Alice', avatarUrl: null, url: null },
    routes: {
      'GET /api/users/me': () =>
        okResponse({ type_of: 'user', id: 42, username: 'alice', name: 'Alice', profile_image: null }),
      'POST /api/articles': ({ body }) => {
        const content = fieldsOf(fieldsOf(body)['article']);
        const [title, text] = [textOf(content['title']), textOf(content['body_markdown'])];
        const fault = findFault(title, text);
        if (fault !== null) return error(422, `Validation failed: ${fault}`);
        const tags = textsOf(content['tags']);
        if (tags.length > 4) return error(422, 'Validation failed: Tag list exceed the maximum of 4 tags');
        return { status: 201, json: addArticle(title, text, tags, content) };
      },
      'GET /api/articles/me/published': ({ query }) => {
        const [page, size] = [Number(query.get('page')), Number(query.get('per_page'))];
        const published = articles.filter((one) => one.published).toReversed();
        return okResponse(
          published.slice((page - 1) * size, page * size).map((one) => ({ ...one, ...counts })),
        );
      },
      'GET /api/articles/:id': ({ params }) => {
        const article = find(params['id']);
        return article?.published ? okResponse(article) : error(404, 'not found');
      },
      'PUT /api/articles/:id': ({ params, body }) => {
        const article = find(params['id']);
        if (!article) return error(404, 'not found');
        const { published, title, body_markdown: text } = fieldsOf(fieldsOf(body)['article']);
        const fault = findFault(textOf(title ?? article.title), textOf(text ?? article.body_markdown));
        if (fault !== null) return error(422, `Validation failed: ${fault}`);
        if (published !== undefined) article.published = published === true;
        if (title !== undefined) article.title = textOf(title);
        if (text !== undefined) article.body_markdown = textOf(text);
        if (published === undefined) edits++;
        return okResponse(article);
      },
    },
    error,
    effects: () => articles.length,
    textOf: (id) => find(id)?.body_markdown ?? '',
    titleOf: (id) => find(id)?.title ?? null,
  });
  // https://developers.forem.com/api/v1#section/Authentication
  const key = headerLocation('api-key');
  return {
    ...world,
    edits: () => edits,
    editTarget: () => (target ??= addTarget()),
    requestsBefore: { edit: 1 },
    needs: { title: 'A title' },
    optionSamples: {
      tags: [['pottery'], ['glazes', 'kilns']],
      canonical_url: ['https://blog.example/one', 'https://blog.example/two'],
    },
    wireValues: { 'tags=pottery': 'tags=pottery', 'tags=glazes,kilns': 'tags=kilns' },
    keyLocations: { api_key: key, forem: key },
  };
}
