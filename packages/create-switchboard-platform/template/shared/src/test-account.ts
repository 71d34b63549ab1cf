import { okResponse } from '@switchboard/simulators';
import { bearerLocation } from '@switchboard/platform-kit/testing/key-location';

export const error = (status: number, code: string) => ({
  status,
  json: { error: { code, message: `Refused: ${code}.` } },
});

/** The account of the tests, and what every route of Acme has in common. */
export const testAccount = {
  account: { id: 'acc_1', username: 'tester', name: null, avatarUrl: null, url: null },
  routes: { 'GET /v1/me': () => okResponse({ id: 'acc_1', handle: 'tester' }) },
  error,
  // Where the documentation places the key.
  facts: { keyLocations: { api_key: bearerLocation } },
};
