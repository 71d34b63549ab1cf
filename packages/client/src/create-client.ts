import createFetchClient, { type Client as FetchClient } from 'openapi-fetch';
import type { paths } from './generated/api.js';
import { iteratePages, type Iterate } from './iterate-pages.js';
import { retryingFetch, type Fetch, type RetryOptions } from './retrying-fetch.js';

export interface ClientOptions extends RetryOptions {
  /** The public URL of the installation, such as `https://switchboard.example.com`. */
  readonly baseUrl: string;
  /** A key of the workspace (`swb_…`). Not for pages that others can open: it gives access to its accounts. */
  readonly apiKey: string;
  /** Sends the requests; the global `fetch` by default. */
  readonly fetch?: Fetch;
}

/** `GET`, `POST`, `PUT`, `PATCH` and `DELETE` take a path of the API; `iterate` follows the pages of a list. */
export interface Client extends FetchClient<paths> {
  readonly iterate: Iterate;
}

export function createClient({ baseUrl, apiKey, fetch, ...retry }: ClientOptions): Client {
  const client = createFetchClient<paths>({
    baseUrl,
    headers: { Authorization: `Bearer ${apiKey}` },
    fetch: retryingFetch(fetch ?? ((request) => globalThis.fetch(request)), retry),
    querySerializer: { array: { style: 'form', explode: false } },
  });
  return Object.assign(client, { iterate: iteratePages(client) });
}
