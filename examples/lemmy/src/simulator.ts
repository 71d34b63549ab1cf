import type { PublishedPart } from '@switchboard/platform-kit';
import { defineSimulator, fieldsOf, okResponse, textOf, type ReceivedRequest } from '@switchboard/simulators';
import { bearerLocation } from '@switchboard/platform-kit/testing/key-location';
import { startSimulator } from '@switchboard/platform-kit/testing/simulator';

const HOST = 'https://lemmy.example';
export const login = { username: 'alice', password: 'correct horse battery' };
const person = { id: 7, name: 'alice', display_name: 'Alice', avatar: null, actor_id: `${HOST}/u/alice` };
const communities = ['pottery', 'glazes'].map((name, at) => ({
  id: at + 1,
  name,
  title: `All about ${name}`,
  actor_id: `${HOST}/c/${name}`,
}));
/** What a server shows to anyone, whatever the token. */
const isPublic = ({ method, path }: ReceivedRequest) =>
  method === 'GET' && ['/api/v3/site', '/api/v3/user', '/api/v3/post', '/api/v3/comment'].includes(path);

interface Stored {
  readonly id: number;
  deleted: boolean;
  readonly removed: boolean;
  readonly published: string;
  readonly ap_id: string;
}
interface Post extends Stored {
  name: string;
  body?: string | undefined;
  url?: string | undefined;
  readonly nsfw: boolean;
  readonly community_id: number;
}
interface Comment extends Stored {
  content: string;
  readonly post_id: number;
  readonly path: string;
}

const error = (code: string, status = 400) => ({ status, json: { error: code } });
const lengthOf = (text: unknown) => [...textOf(text)].length;

/** A Lemmy server 0.19: https://join-lemmy.org/docs/contributors/04-api.html */
export async function startWorld() {
  const posts: Post[] = [];
  const comments: Comment[] = [];
  let edits = 0;
  const common = (kind: string, id: number) => ({
    id,
    deleted: false,
    removed: false,
    published: new Date().toISOString().replace('Z', '456Z'),
    ap_id: `${HOST}/${kind}/${id}`,
  });
  const postView = (post: Post) => ({
    post,
    counts: { upvotes: 3, comments: comments.filter(({ post_id: id }) => id === post.id).length },
  });
  const findPost = (id: unknown) => posts.find((post) => post.id === Number(id));
  const findComment = (id: unknown) => comments.find((comment) => comment.id === Number(id));

  const simulator = defineSimulator<null, object>({
    state: null,
    routes: {
      'GET /api/v3/user/validate_auth': () => okResponse({ success: true }),
      'GET /api/v3/site': (_, { owner }) =>
        okResponse({
          site_view: {},
          ...('id' in owner && { my_user: { local_user_view: { person } } }),
        }),
      'GET /api/v3/community/list': () =>
        okResponse({ communities: communities.map((community) => ({ community })) }),
      'POST /api/v3/post': (_, { body }) => {
        const { name, body: text, url, nsfw, community_id: community } = fieldsOf(body);
        if (lengthOf(name) < 3 || lengthOf(name) > 200) return error('invalid_post_title');
        if (lengthOf(text) > 50_000) return error('invalid_body_field');
        if (!communities.some(({ id }) => id === community)) return error('couldnt_find_community', 404);
        const post: Post = {
          ...common('post', posts.length + 1),
          name: textOf(name),
          ...(text !== undefined && { body: textOf(text) }),
          ...(url !== undefined && { url: textOf(url) }),
          nsfw: nsfw === true,
          community_id: Number(community),
        };
        posts.push(post);
        return okResponse({ post_view: postView(post) });
      },
      'POST /api/v3/comment': (_, { body }) => {
        const { content, post_id: postId } = fieldsOf(body);
        if (!findPost(postId)) return error('couldnt_find_post', 404);
        if (lengthOf(content) === 0 || lengthOf(content) > 10_000) return error('invalid_body_field');
        const own = common('comment', comments.length + 1);
        const comment = { ...own, content: textOf(content), post_id: Number(postId), path: `0.${own.id}` };
        comments.push(comment);
        return okResponse({ comment_view: { comment } });
      },
      // Without a look at `deleted`:
      // https://github.com/LemmyNet/lemmy/blob/0.19.5/crates/api_crud/src/post/update.rs
      'PUT /api/v3/post': (_, { body }) => {
        const { post_id: postId, name, body: text, url } = fieldsOf(body);
        const post = findPost(postId);
        if (!post) return error('couldnt_find_post', 404);
        if (name !== undefined && (lengthOf(name) < 3 || lengthOf(name) > 200))
          return error('invalid_post_title');
        if (lengthOf(text) > 50_000) return error('invalid_body_field');
        if (name !== undefined) post.name = textOf(name);
        if (text !== undefined) post.body = textOf(text) || undefined;
        if (url !== undefined) post.url = textOf(url) || undefined;
        edits++;
        return okResponse({ post_view: postView(post) });
      },
      'PUT /api/v3/comment': (_, { body }) => {
        const { comment_id: commentId, content } = fieldsOf(body);
        const comment = findComment(commentId);
        if (!comment) return error('couldnt_find_comment', 404);
        if (lengthOf(content) === 0 || lengthOf(content) > 10_000) return error('invalid_body_field');
        comment.content = textOf(content);
        edits++;
        return okResponse({ comment_view: { comment } });
      },
      'GET /api/v3/user': (_, { query }) => {
        const [page, limit] = [Number(query.get('page')), Number(query.get('limit'))];
        const cut = <One>(all: readonly One[]) => all.toReversed().slice((page - 1) * limit, page * limit);
        return okResponse({
          posts: cut(posts).map(postView),
          comments: cut(comments).map((comment) => ({ comment })),
        });
      },
      'GET /api/v3/post': (_, { query }) => {
        const post = findPost(query.get('id'));
        return post ? okResponse({ post_view: postView(post) }) : error('couldnt_find_post', 404);
      },
      'GET /api/v3/comment': (_, { query }) => {
        const comment = findComment(query.get('id'));
        return comment ? okResponse({ comment_view: { comment } }) : error('couldnt_find_comment', 404);
      },
      'POST /api/v3/post/delete': (_, { body }) => {
        const post = findPost(fieldsOf(body)['post_id']);
        if (!post) return error('couldnt_find_post', 404);
        post.deleted = true;
        return okResponse({ post_view: postView(post) });
      },
      'POST /api/v3/comment/delete': (_, { body }) => {
        const comment = findComment(fieldsOf(body)['comment_id']);
        if (!comment) return error('couldnt_find_comment', 404);
        comment.deleted = true;
        return okResponse({ comment_view: { comment } });
      },
      'POST /api/v3/user/logout': () => okResponse({ success: true }),
    },
    ownerOf: () => null,
    unauthorized: error('incorrect_login', 401),
    notFound: error('not_found', 404),
  });

  const textById = (id: string) =>
    id.startsWith('c') ? findComment(id.slice(1))?.content : findPost(id)?.body;
  const world = await startSimulator({
    account: {
      id: '7',
      username: 'alice@lemmy.example',
      name: 'Alice',
      avatarUrl: null,
      url: person.actor_id,
    },
    simulator: {
      respondAs: (request: ReceivedRequest, owner: object | null) =>
        simulator.respondAs(request, owner ?? (isPublic(request) ? {} : null)),
    },
    owner: { id: 7 },
    login: {
      values: { password: login },
      respond({ method, path, body }, token) {
        if (method !== 'POST' || path !== '/api/v3/user/login') return null;
        const { username_or_email: name, password } = fieldsOf(body);
        return name === login.username && password === login.password
          ? okResponse({ jwt: token, registration_created: false, verify_email_sent: false })
          : error('incorrect_login', 401);
      },
    },
    effects: () => posts.length + comments.length,
    textOf: (id) => textById(id) ?? '',
    titleOf: (id) => findPost(id)?.name ?? null,
    parentOf: (id) => (id.startsWith('c') ? String(findComment(id.slice(1))?.post_id) : null),
  });
  let target: PublishedPart | undefined;
  const addTarget = (): PublishedPart => {
    const own = common('post', posts.length + 1);
    posts.push({ ...own, name: 'A title', nsfw: false, community_id: 1 });
    return { externalId: String(own.id), url: own.ap_id, receipt: {} };
  };
  return {
    ...world,
    edits: () => edits,
    editTarget: () => (target ??= addTarget()),
    requestsBefore: { edit: 2 },
    needs: { title: 'A title', options: { community: '1' } },
    // https://join-lemmy.org/api/classes/LemmyHttp.html#createpost
    wireFields: { community: 'community_id' },
    // A post without a text or a link: https://join-lemmy.org/api/interfaces/Post.html
    omittedFields: [
      'posts.*.post.body',
      'posts.*.post.url',
      'my_user.local_user_view.person.display_name',
      'my_user.local_user_view.person.avatar',
    ],
    keyLocations: { password: bearerLocation },
  };
}
