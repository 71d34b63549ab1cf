import { z } from 'zod';
import { startSimulator, type SimulatedAnswer } from '../../kit/testing/simulator.js';
import type { World } from '../../kit/testing/world.js';

const no = (status: number, code: string): SimulatedAnswer => ({
  status,
  json: { error: { code, message: `Refused: ${code}.` } },
});
const newPost = z.object({ text: z.string(), reference: z.string() });

/** Acme as its documentation describes it. */
export async function startWorld(): Promise<World> {
  const posts: { id: string; text: string; reference: string; url: string }[] = [];
  return startSimulator({
    account: { id: 'acc_1', username: 'tester', name: 'Tester', avatarUrl: null, url: null },
    expired: no(401, 'token_expired'),
    unknown: no(401, 'token_unknown'),
    weak: ({ path }) => (path === '/v1/me' ? null : no(403, 'scope_missing')),
    call({ method, path, query, body }) {
      if (path === '/v1/me') return { status: 200, json: { id: 'acc_1', handle: 'tester', name: 'Tester' } };
      if (path !== '/v1/posts') return no(404, 'not_found');
      if (method === 'GET') {
        const found = posts.filter((post) => post.reference === query.get('reference'));
        return { status: 200, json: { posts: found } };
      }
      const { text, reference } = newPost.parse(body);
      if ([...text].length > 280) return no(422, 'text_too_long');
      const id = `post_${posts.length + 1}`;
      posts.push({ id, text, reference, url: `https://acme.example/${id}` });
      return { status: 201, json: posts.at(-1) };
    },
    effects: () => posts.length,
    textOf: (id) => posts.find((post) => post.id === id)?.text ?? '',
  });
}
