export { createClient, type Client, type ClientOptions } from './create-client.js';
export type { ListPath } from './iterate-pages.js';
export type { Fetch, RetryOptions } from './retrying-fetch.js';
export { SwitchboardError, unwrap } from './switchboard-error.js';
export type * from './generated/api.js';
