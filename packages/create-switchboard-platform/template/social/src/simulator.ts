import { defineSimulator, okResponse } from '@switchboard/simulators';
import { bearerLocation } from '@switchboard/platform-kit/testing/key-location';
import { startSimulator } from '@switchboard/platform-kit/testing/simulator';

interface Post {
  readonly id: string;
  readonly url: string;
  readonly text: string;
  readonly reference: string;
}

const error = (status: number, code: string) => ({
  status,
  json: { error: { code, message: `Refused: ${code}.` } },
});

/** Acme as documented. */
export async function startWorld() {
  const posts: Post[] = [];
  let created = 0;
  const create = (body: Omit<Post, 'id' | 'url'>) => {
    if ([...body.text].length > 500) return error(422, 'text_too_long');
    const id = `post_${(created += 1)}`;
    posts.push({ ...body, id, url: `https://api.example.com/${id}` });
    return { status: 201, json: posts.at(-1) };
  };
  const world = await startSimulator({
    account: { id: 'acc_1', username: 'tester', name: null, avatarUrl: null, url: null },
    simulator: defineSimulator<null, object>({
      state: null,
      routes: {
        'GET /v1/me': () => okResponse({ id: 'acc_1', handle: 'tester' }),
        'POST /v1/posts': (_, { body }) => create(body as Post),
        'GET /v1/posts': (_, { query }) =>
          okResponse({ posts: posts.filter((post) => post.reference === query.get('reference')) }),
        'DELETE /v1/posts/:id': (_, { params }) => {
          const at = posts.findIndex((post) => post.id === params['id']);
          return at < 0 ? error(404, 'not_found') : (posts.splice(at, 1), okResponse({}));
        },
      },
      ownerOf: () => null,
      unauthorized: error(401, 'unauthorized'),
      notFound: error(404, 'not_found'),
    }),
    owner: {},
    effects: () => created,
    textOf: (id) => posts.find((post) => post.id === id)?.text ?? '',
  });
  return { ...world, keyLocations: { api_key: bearerLocation } };
}
