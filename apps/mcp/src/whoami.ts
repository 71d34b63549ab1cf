import { catalog, type Operation } from '@switchboard/operations';

/** The operation that any valid key may call, and so the one that tells whether a key is valid. */
export const whoami = catalog.find(({ name }) => name === 'getMe') as Operation;
