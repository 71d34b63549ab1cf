import { createHash } from 'node:crypto';
import type { PublishedPart } from '@switchboard/platform-kit';
import { fieldsOf, okResponse, textOf, type FormFile } from '@switchboard/simulators';
import { basicPasswordLocation } from '@switchboard/platform-kit/testing/key-location';
import { startRoutes } from '@switchboard/platform-kit/testing/simulator';
import { plainTextOf } from '@switchboard/platform-kit/plain-text-of';
import { manifest } from './manifest.js';

const SITE = 'https://blog.example';

interface Post {
  readonly id: number;
  readonly link: string;
  status: string;
  readonly date_gmt: string;
  title: { readonly raw: string };
  content: { readonly raw: string };
  readonly excerpt: { readonly raw: string };
  readonly categories: readonly number[];
}
interface Comment {
  readonly id: number;
  readonly link: string;
  status: string;
  readonly post: number;
  readonly parent: number;
  readonly date_gmt: string;
  text: string;
}
interface Attachment {
  readonly id: number;
  readonly source_url: string;
  readonly altText: string | null;
  readonly type: string;
  readonly sha256: string;
}

const error = (status: number, code: string) => ({
  status,
  json: { code, message: `Refused: ${code}.`, data: { status } },
});
const now = () => new Date().toISOString().slice(0, 19);
const page = <One>(all: readonly One[], query: URLSearchParams): readonly One[] => {
  const [number, size] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 10)];
  return all.toReversed().slice((number - 1) * size, number * size);
};
const categories = [
  { id: 1, name: 'Uncategorized' },
  { id: 4, name: 'Pottery' },
];

/** The REST API of WordPress 6: https://developer.wordpress.org/rest-api/reference/ */
export async function startWorld() {
  const posts: Post[] = [];
  const comments: Comment[] = [];
  const library: Attachment[] = [];
  const find = <One extends { readonly id: number }>(all: readonly One[], id: unknown) =>
    all.find((one) => one.id === Number(id));
  let edits = 0;
  const shown = ({ text, ...comment }: Comment) => ({
    ...comment,
    content: {
      rendered: `<p>${text.replaceAll("'", '&#8217;').replaceAll(':)', '🙂').replaceAll('\n', '<br />\n')}</p>\n`,
    },
  });
  function addPost(fields: Readonly<Record<string, unknown>>, own: readonly number[] = [1]) {
    const id = posts.length + 1;
    const post = {
      id,
      link: `${SITE}/?p=${id}`,
      status: textOf(fields['status']),
      date_gmt: now(),
      title: { raw: textOf(fields['title']) },
      content: { raw: textOf(fields['content']) },
      excerpt: { raw: textOf(fields['excerpt']) },
      categories: own,
    };
    posts.push(post);
    return post;
  }
  let target: PublishedPart | undefined;
  const addTarget = (): PublishedPart => {
    const { id, link } = addPost({ status: 'publish' });
    return { externalId: String(id), url: link, receipt: {} };
  };

  const world = await startRoutes({
    account: { id: '3', username: 'alice', name: 'Alice', avatarUrl: null, url: null },
    routes: {
      'GET /wp-json/wp/v2/users/me': () =>
        okResponse({
          id: 3,
          username: 'alice',
          name: 'Alice',
          link: `${SITE}/author/alice`,
          avatar_urls: {},
        }),
      'GET /wp-json/wp/v2/categories': () => okResponse(categories),
      'POST /wp-json/wp/v2/media': ({ body }) => {
        const fields = fieldsOf(body);
        const file = fields['file'] as FormFile;
        if (file.bytes.length > (manifest.media?.images?.maxBytes ?? 0))
          return error(400, 'rest_upload_file_too_big');
        const id = library.length + 100;
        const attachment = {
          id,
          source_url: `${SITE}/wp-content/uploads/${id}-${file.fileName}`,
          altText: textOf(fields['alt_text']) || null,
          type: file.type,
          sha256: createHash('sha256').update(file.bytes).digest('hex'),
        };
        library.push(attachment);
        return { status: 201, json: { id, source_url: attachment.source_url } };
      },
      'POST /wp-json/wp/v2/posts': ({ body }) => {
        const fields = fieldsOf(body);
        const own = fields['categories'] as readonly number[] | undefined;
        if (own?.some((id) => !find(categories, id))) return error(400, 'rest_invalid_param');
        return { status: 201, json: addPost(fields, own) };
      },
      'GET /wp-json/wp/v2/posts': ({ query }) => {
        const published = posts.filter(({ status }) => status === query.get('status'));
        const listed = page(published, query);
        return listed.length === 0 && Number(query.get('page')) > 1
          ? error(400, 'rest_post_invalid_page_number')
          : okResponse(listed);
      },
      'GET /wp-json/wp/v2/posts/:id': ({ params }) => {
        const post = find(posts, params['id']);
        return post ? okResponse(post) : error(404, 'rest_post_invalid_id');
      },
      // A post in the trash is edited as well.
      'POST /wp-json/wp/v2/posts/:id': ({ params, body }) => {
        const post = find(posts, params['id']);
        if (!post) return error(404, 'rest_post_invalid_id');
        const { title, content } = fieldsOf(body);
        if (title !== undefined) post.title = { raw: textOf(title) };
        if (content !== undefined) post.content = { raw: textOf(content) };
        edits++;
        return okResponse(post);
      },
      'DELETE /wp-json/wp/v2/posts/:id': ({ params }) => {
        const post = find(posts, params['id']);
        if (!post) return error(404, 'rest_post_invalid_id');
        if (post.status === 'trash') return error(410, 'rest_already_trashed');
        post.status = 'trash';
        for (const comment of comments)
          if (comment.post === post.id && comment.status !== 'trash') comment.status = 'post-trashed';
        return okResponse(post);
      },
      'POST /wp-json/wp/v2/comments': ({ body }) => {
        const fields = fieldsOf(body);
        const text = textOf(fields['content']);
        if (!find(posts, fields['post'])) return error(404, 'rest_comment_invalid_post_id');
        if (Buffer.byteLength(text) > 65_525) return error(400, 'comment_content_column_length');
        const id = comments.length + 1;
        const comment = {
          id,
          link: `${SITE}/?p=${Number(fields['post'])}#comment-${id}`,
          status: 'approved',
          post: Number(fields['post']),
          parent: 0,
          date_gmt: now(),
          text,
        };
        comments.push(comment);
        return { status: 201, json: shown(comment) };
      },
      'GET /wp-json/wp/v2/comments': ({ query }) => {
        const approved = comments.filter(
          ({ post, status }) => post === Number(query.get('post')) && status === 'approved',
        );
        const headers = { 'x-wp-total': String(approved.length) };
        return { status: 200, json: page(approved, query).map(shown), headers };
      },
      'GET /wp-json/wp/v2/comments/:id': ({ params, query }) => {
        const comment = find(comments, params['id']);
        if (!comment) return error(404, 'rest_comment_invalid_id');
        const { content, ...rest } = shown(comment);
        const isRaw = query.get('context') === 'edit';
        return okResponse({ ...rest, content: { ...content, ...(isRaw && { raw: comment.text }) } });
      },
      'POST /wp-json/wp/v2/comments/:id': ({ params, body }) => {
        const comment = find(comments, params['id']);
        if (!comment) return error(404, 'rest_comment_invalid_id');
        const text = textOf(fieldsOf(body)['content']);
        if (text === '') return error(400, 'rest_comment_content_invalid');
        if (Buffer.byteLength(text) > 65_525) return error(400, 'comment_content_column_length');
        comment.text = text;
        edits++;
        return okResponse(shown(comment));
      },
      'DELETE /wp-json/wp/v2/comments/:id': ({ params }) => {
        const comment = find(comments, params['id']);
        if (!comment) return error(404, 'rest_comment_invalid_id');
        if (comment.status === 'trash') return error(410, 'rest_already_trashed');
        comment.status = 'trash';
        return okResponse(shown(comment));
      },
    },
    error,
    effects: () => posts.length + comments.length,
    textOf(id) {
      if (id.startsWith('c')) return plainTextOf(find(comments, id.slice(1))?.text ?? '');
      const content = find(posts, id)?.content.raw ?? '';
      return [...content.matchAll(/<p>([^]*?)<\/p>/g)].map(([, html = '']) => readable(html)).join('\n\n');
    },
    titleOf: (id) => find(posts, id)?.title.raw ?? null,
    parentOf: (id) => (id.startsWith('c') ? String(find(comments, id.slice(1))?.post) : null),
    mediaOf: (id) =>
      [...(find(posts, id)?.content.raw ?? '').matchAll(/wp-image-(\d+)/g)].flatMap(([, image]) => {
        const { type, sha256, altText } = find(library, image) ?? {};
        return type === undefined || sha256 === undefined ? [] : [{ type, sha256, altText: altText ?? null }];
      }),
  });
  return {
    ...world,
    edits: () => edits,
    editTarget: () => (target ??= addTarget()),
    requestsBefore: { edit: 1 },
    // https://developer.wordpress.org/rest-api/reference/posts/#create-a-post
    wireFields: { category: 'categories' },
    optionDefaults: { category: '1' },
    notReadBack: {
      'having no option category':
        'Only administrators may read which category is the default: https://developer.wordpress.org/rest-api/reference/settings/',
    } as const,
    // https://developer.wordpress.org/rest-api/reference/users/#schema
    omittedFields: ['name', 'link', 'avatar_urls'],
    // https://developer.wordpress.org/rest-api/using-the-rest-api/authentication/#basic-authentication-with-application-passwords
    keyLocations: { application_password: basicPasswordLocation },
  };
}

const readable = (html: string) =>
  html
    .replaceAll('<br>', '\n')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#091;', '[')
    .replaceAll('&amp;', '&');
