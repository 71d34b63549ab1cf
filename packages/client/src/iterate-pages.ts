import type { Client } from 'openapi-fetch';
import type { paths } from './generated/api.js';
import { unwrap } from './switchboard-error.js';

interface Page {
  readonly data: readonly unknown[];
  readonly next_cursor: string | null;
}

/** The response of a list to GET. */
type PageOf<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body extends Page
    ? Body
    : never
  : never;

export type ListPath = { [Path in keyof paths]: [PageOf<Path>] extends [never] ? never : Path }[keyof paths];

type ParametersOf<Path extends ListPath> = paths[Path] extends { get: { parameters: infer Parameters } }
  ? Parameters
  : never;
type QueryOf<Path extends ListPath> = Omit<
  NonNullable<ParametersOf<Path> extends { query?: infer Query } ? Query : never>,
  'cursor'
>;
type PathParametersOf<Path extends ListPath> =
  ParametersOf<Path> extends { path: infer InPath } ? { readonly path: InPath } : { readonly path?: never };

/** Every item of a list, page by page: the next page is read when the items of the previous one are used up. */
export type Iterate = <Path extends ListPath>(
  path: Path,
  options?: { readonly query?: QueryOf<Path>; readonly signal?: AbortSignal } & PathParametersOf<Path>,
) => AsyncGenerator<PageOf<Path>['data'][number], void, undefined>;

export const iteratePages = ({ GET }: Pick<Client<paths>, 'GET'>): Iterate => {
  // The types of one list cannot be shown to be those of every list.
  const read = GET as unknown as (path: string, init: object) => Promise<{ data?: Page; response: Response }>;
  async function* iterate(
    path: string,
    { query, path: inPath, signal }: { query?: object; path?: object; signal?: AbortSignal } = {},
  ): AsyncGenerator<unknown, void, undefined> {
    let cursor: string | null = null;
    do {
      const params = { query: { ...query, ...(cursor !== null && { cursor }) }, path: inPath };
      const page: Page = unwrap(await read(path, { params, signal }));
      yield* page.data;
      cursor = page.next_cursor;
    } while (cursor !== null);
  }
  return iterate as unknown as Iterate;
};
