import type { PublishedPart } from '@switchboard/platform-kit';
import { defineSimulator, fieldsOf, okResponse, textOf, type ReceivedRequest } from '@switchboard/simulators';
import { bearerLocation } from '@switchboard/platform-kit/testing/key-location';
import { startSimulator } from '@switchboard/platform-kit/testing/simulator';

const HOST = 'https://lemmy.example';
const person = { id: 7, name: 'alice', display_name: 'Alice', avatar: null, actor_id: `${HOST}/u/alice` };
const login = { username: 'alice', password: 'correct horse battery' };
const communities = ['pottery', 'glazes'].map((name, at) => ({
  community: { id: at + 1, name, title: name, actor_id: `${HOST}/c/${name}` },
}));
/** What a server shows to anyone, whatever the token. */
const publicPaths = ['/api/v3/site', '/api/v3/user', '/api/v3/post', '/api/v3/comment'];
const isPublic = ({ method, path }: ReceivedRequest) => method === 'GET' && publicPaths.includes(path);
const error = (code: string, status = 400) => ({ status, json: { error: code } });
const lengthOf = (text: unknown) => [...textOf(text)].length;

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
  const findPost = (id: unknown) => posts.find((one) => one.id === Number(id));
  const findComment = (id: unknown) => comments.find((one) => one.id === Number(id));
  const view = (post: Post) => ({
    post,
    counts: { upvotes: 3, comments: comments.filter(({ post_id: id }) => id === post.id).length },
  });
  const respondPost = (post: Post | undefined) =>
    post ? okResponse({ post_view: view(post) }) : error('couldnt_find_post', 404);
  const respondComment = (comment: Comment | undefined) =>
    comment ? okResponse({ comment_view: { comment } }) : error('couldnt_find_comment', 404);
  const add = (name: string, community: number, more: Partial<Post> = {}) => {
    const post: Post = {
      ...common('post', posts.length + 1),
      name,
      nsfw: false,
      community_id: community,
      ...more,
    };
    posts.push(post);
    return post;
  };
  const postFault = (name: unknown, text: unknown) =>
    lengthOf(name) < 3 || lengthOf(name) > 200
      ? error('invalid_post_title')
      : lengthOf(text) > 50_000
        ? error('invalid_body_field')
        : null;
  const commentFault = (content: unknown) =>
    lengthOf(content) === 0 || lengthOf(content) > 10_000 ? error('invalid_body_field') : null;

  const simulator = defineSimulator<null, object>({
    state: null,
    routes: {
      'GET /api/v3/user/validate_auth': () => okResponse({ success: true }),
      'GET /api/v3/site': (_, { owner }) =>
        okResponse({ site_view: {}, ...('id' in owner && { my_user: { local_user_view: { person } } }) }),
      'GET /api/v3/community/list': () => okResponse({ communities }),
      'POST /api/v3/post': (_, { body }) => {
        const { name, body: text, url, nsfw, community_id: community } = fieldsOf(body);
        const fault = postFault(name, text);
        if (fault) return fault;
        if (!communities.some((one) => one.community.id === community))
          return error('couldnt_find_community', 404);
        return respondPost(
          add(textOf(name), Number(community), {
            nsfw: nsfw === true,
            ...(text !== undefined && { body: textOf(text) }),
            ...(url !== undefined && { url: textOf(url) }),
          }),
        );
      },
      // Without a look at `deleted`:
      // https://github.com/LemmyNet/lemmy/blob/0.19.5/crates/api_crud/src/post/update.rs
      'PUT /api/v3/post': (_, { body }) => {
        const { post_id: id, name, body: text, url } = fieldsOf(body);
        const post = findPost(id);
        const fault = postFault(name, text);
        if (!post || fault) return fault ?? error('couldnt_find_post', 404);
        Object.assign(post, {
          name: textOf(name),
          body: textOf(text) || undefined,
          url: textOf(url) || undefined,
        });
        edits += 1;
        return respondPost(post);
      },
      'POST /api/v3/comment': (_, { body }) => {
        const { content, post_id: post } = fieldsOf(body);
        const fault = findPost(post) ? commentFault(content) : error('couldnt_find_post', 404);
        if (fault) return fault;
        const own = common('comment', comments.length + 1);
        comments.push({ ...own, content: textOf(content), post_id: Number(post), path: `0.${own.id}` });
        return respondComment(comments.at(-1));
      },
      'PUT /api/v3/comment': (_, { body }) => {
        const { comment_id: id, content } = fieldsOf(body);
        const comment = findComment(id);
        const fault = commentFault(content);
        if (!comment || fault) return fault ?? error('couldnt_find_comment', 404);
        comment.content = textOf(content);
        edits += 1;
        return respondComment(comment);
      },
      'GET /api/v3/user': (_, { query }) => {
        const [page, limit] = [Number(query.get('page')), Number(query.get('limit'))];
        const cut = <One>(all: readonly One[]) => all.toReversed().slice((page - 1) * limit, page * limit);
        return okResponse({
          posts: cut(posts).map(view),
          comments: cut(comments).map((comment) => ({ comment })),
        });
      },
      'GET /api/v3/post': (_, { query }) => respondPost(findPost(query.get('id'))),
      'GET /api/v3/comment': (_, { query }) => respondComment(findComment(query.get('id'))),
      'POST /api/v3/post/delete': (_, { body }) => {
        const post = findPost(fieldsOf(body)['post_id']);
        if (post) post.deleted = true;
        return respondPost(post);
      },
      'POST /api/v3/comment/delete': (_, { body }) => {
        const comment = findComment(fieldsOf(body)['comment_id']);
        if (comment) comment.deleted = true;
        return respondComment(comment);
      },
      'POST /api/v3/user/logout': () => okResponse({ success: true }),
    },
    ownerOf: () => null,
    unauthorized: error('incorrect_login', 401),
    notFound: error('not_found', 404),
  });
  let target: PublishedPart | undefined;
  const addTarget = () => ({ externalId: String(add('A title', 1).id), url: null, receipt: {} });
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
          ? okResponse({ jwt: token })
          : error('incorrect_login', 401);
      },
    },
    effects: () => posts.length + comments.length,
    textOf: (id) => (id.startsWith('c') ? findComment(id.slice(1))?.content : findPost(id)?.body) ?? '',
    titleOf: (id) => findPost(id)?.name ?? null,
    parentOf: (id) => (id.startsWith('c') ? String(findComment(id.slice(1))?.post_id) : null),
  });
  return {
    ...world,
    edits: () => edits,
    editTarget: () => (target ??= addTarget()),
    requestsBefore: { edit: 2 },
    needs: { title: 'A title', options: { community: '1' } },
    // https://join-lemmy.org/api/classes/LemmyHttp.html#createpost
    wireFields: { community: 'community_id' },
    // A post without a text or a link: https://join-lemmy.org/api/interfaces/Post.html
    omittedFields: ['posts.*.post.body', 'posts.*.post.url'],
    keyLocations: { password: bearerLocation },
  };
}
