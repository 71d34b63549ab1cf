import { defineSimulator, okResponse } from '@switchboard/simulators';
import { bearerLocation } from '@switchboard/platform-kit/testing/key-location';
import { startSimulator } from '@switchboard/platform-kit/testing/simulator';

interface Post {
  readonly id: string;
  readonly url: string;
  readonly text: string;
}

const error = (status: number, code: string) => ({
  status,
  json: { error: { code, message: `Refused: ${code}.` } },
});

/** Acme as documented. */
export async function startWorld() {
  const posts: Post[] = [];
  const create = (body: Omit<Post, 'id' | 'url'>) => {
    if ([...body.text].length > 500) return error(422, 'text_too_long');
    const id = `post_${posts.length + 1}`;
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
      },
      ownerOf: () => null,
      unauthorized: error(401, 'unauthorized'),
      notFound: error(404, 'not_found'),
    }),
    owner: {},
    effects: () => posts.length,
    textOf: (id) => posts.find((post) => post.id === id)?.text ?? '',
  });
  return { ...world, keyLocations: { api_key: bearerLocation } };
}
