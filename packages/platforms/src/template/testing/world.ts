import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  defineSimulator,
  okResponse,
  requireScopes,
  type Routes,
  type WireResponse,
} from '@switchboard/simulators';
import { startSimulator } from '@switchboard/platform-kit/testing/simulator';
import type { World } from '@switchboard/platform-kit/testing/world';

const errorResponse = (status: number, code: string): WireResponse => ({
  status,
  json: { error: { code, message: `Refused: ${code}.` } },
});
const needs = requireScopes(() => errorResponse(403, 'scope_missing'));
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

  function createFile(type: string, bytes: Uint8Array): WireResponse {
    if (bytes.length > (largest[type] ?? 0)) return errorResponse(413, 'file_too_large');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const created = { id: `fil_${files.length + 1}`, type, sha256 };
    files.push(created);
    return { status: 201, json: { id: created.id } };
  }

  function createPost(requested: z.infer<typeof newPost>): WireResponse {
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

  const routes: Routes<null, { readonly scopes: readonly string[] }> = {
    'GET /v1/me': () => okResponse({ id: 'acc_1', handle: 'tester', name: 'Tester' }),
    'GET /v1/boards': needs(['posts'], () => okResponse({ boards })),
    'GET /v1/quota': needs(['posts'], () => {
      const counted = posts.filter(({ kind }) => kind === 'post');
      return okResponse({ posts_today: counted.length, posts_per_day: 10_000 });
    }),
    'POST /v1/files': needs(['posts'], (_, { headers, body }) =>
      createFile(String(headers['content-type']), body as Uint8Array),
    ),
    'GET /v1/posts': needs(['posts'], (_, { query }) =>
      okResponse({ posts: posts.filter((post) => post.reference === query.get('reference')) }),
    ),
    'POST /v1/posts': needs(['posts'], (_, { body }) => createPost(newPost.parse(body))),
  };

  return startSimulator({
    account: { id: 'acc_1', username: 'tester', name: 'Tester', avatarUrl: null, url: null },
    simulator: defineSimulator({
      state: null,
      routes,
      ownerOf: () => null,
      unauthorized: errorResponse(401, 'token_unknown'),
      notFound: errorResponse(404, 'not_found'),
    }),
    owner: { scopes: ['posts'] },
    weakOwner: { scopes: [] },
    expiredTokenResponse: errorResponse(401, 'token_expired'),
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
