import { createHash } from 'node:crypto';
import { z } from 'zod';
import { startSimulator, type SimulatedResponse } from '../../kit/testing/simulator.js';
import type { World } from '../../kit/testing/world.js';

const errorResponse = (status: number, code: string): SimulatedResponse => ({
  status,
  json: { error: { code, message: `Refused: ${code}.` } },
});
const newPost = z.object({
  kind: z.enum(['post', 'comment']),
  title: z.string().nullable(),
  text: z.string(),
  files: z.array(z.object({ id: z.string(), description: z.string().nullable() })),
  answers: z.string().nullable(),
  board: z.string().optional(),
  reference: z.string(),
});
type StoredPost = z.infer<typeof newPost> & { readonly id: string; readonly url: string };
const boards = [
  { id: 'brd_1', name: 'News' },
  { id: 'brd_2', name: 'Recipes' },
];
const lengths = { post: 280, comment: 140 };
const largest: Readonly<Record<string, number>> = {
  'image/jpeg': 2_000_000,
  'image/png': 2_000_000,
  'video/mp4': 50_000_000,
};

/** Acme as documented. */
export async function startWorld(): Promise<World> {
  const posts: StoredPost[] = [];
  const files: { id: string; type: string; sha256: string }[] = [];
  const postOf = (id: string) => posts.find((post) => post.id === id);

  function createFile(type: string, bytes: Uint8Array): SimulatedResponse {
    if (bytes.length > (largest[type] ?? 0)) return errorResponse(413, 'file_too_large');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const created = { id: `fil_${files.length + 1}`, type, sha256 };
    files.push(created);
    return { status: 201, json: { id: created.id } };
  }

  function createPost(requested: z.infer<typeof newPost>): SimulatedResponse {
    if ([...requested.text].length > lengths[requested.kind]) return errorResponse(422, 'text_too_long');
    if ([...(requested.title ?? '')].length > 80) return errorResponse(422, 'title_too_long');
    if (requested.files.length > 4) return errorResponse(422, 'too_many_files');
    if (requested.answers !== null && !postOf(requested.answers))
      return errorResponse(422, 'nothing_to_answer');
    if (requested.board !== undefined && !boards.some(({ id }) => id === requested.board))
      return errorResponse(422, 'no_board');
    const id = `post_${posts.length + 1}`;
    const created = { ...requested, id, url: `https://acme.example/${id}` };
    posts.push(created);
    return { status: 201, json: created };
  }

  return startSimulator({
    account: { id: 'acc_1', username: 'tester', name: 'Tester', avatarUrl: null, url: null },
    expiredTokenResponse: errorResponse(401, 'token_expired'),
    unknownTokenResponse: errorResponse(401, 'token_unknown'),
    respondToWeakToken: ({ path }) => (path === '/v1/me' ? null : errorResponse(403, 'scope_missing')),
    respond({ method, path, query, headers, body, bytes }) {
      switch (`${method} ${path}`) {
        case 'GET /v1/me':
          return { status: 200, json: { id: 'acc_1', handle: 'tester', name: 'Tester' } };
        case 'GET /v1/boards':
          return { status: 200, json: { boards } };
        case 'GET /v1/quota': {
          const counted = posts.filter(({ kind }) => kind === 'post');
          return { status: 200, json: { posts_today: counted.length, posts_per_day: 10_000 } };
        }
        case 'POST /v1/files':
          return createFile(headers['content-type'] ?? '', bytes);
        case 'GET /v1/posts':
          return {
            status: 200,
            json: { posts: posts.filter((post) => post.reference === query.get('reference')) },
          };
        case 'POST /v1/posts':
          return createPost(newPost.parse(body));
        default:
          return errorResponse(404, 'not_found');
      }
    },
    effects: () => posts.length,
    textOf: (id) => postOf(id)?.text ?? '',
    titleOf: (id) => postOf(id)?.title ?? null,
    parentOf: (id) => postOf(id)?.answers ?? null,
    mediaOf: (id) =>
      (postOf(id)?.files ?? []).map((one) => {
        const file = files.find((known) => known.id === one.id);
        return { type: file?.type ?? '', sha256: file?.sha256 ?? '', altText: one.description };
      }),
  });
}
