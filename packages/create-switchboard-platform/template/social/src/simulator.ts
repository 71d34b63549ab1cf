import { okResponse } from '@switchboard/simulators';
import { startRoutes } from '@switchboard/platform-kit/testing/simulator';
import { error, testAccount } from './test-account.js';

/** Acme as documented. */
export function startWorld() {
  const posts: Record<string, string>[] = [];
  let created = 0;
  return startRoutes({
    ...testAccount,
    routes: {
      ...testAccount.routes,
      'POST /v1/posts': ({ body }) => {
        const { text = '', reference = '' } = body as Record<string, string>;
        if ([...text].length > 500) return error(422, 'text_too_long');
        const id = `post_${(created += 1)}`;
        posts.push({ id, url: `https://api.example.com/${id}`, text, reference });
        return { status: 201, json: posts.at(-1) };
      },
      // <full>
      'GET /v1/posts': ({ query }) =>
        okResponse({ posts: posts.filter(({ reference }) => reference === query.get('reference')) }),
      'DELETE /v1/posts/:id': ({ params }) => {
        const at = posts.findIndex(({ id }) => id === params['id']);
        return at < 0 ? error(404, 'not_found') : (posts.splice(at, 1), okResponse({}));
      },
      // </full>
    },
    effects: () => created,
    textOf: (id) => posts.find((post) => post.id === id)?.text ?? '',
  });
}
