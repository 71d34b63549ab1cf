import { catalog, type Operation } from '@switchboard/operations';

/** The operation that any valid key may call, and that therefore verifies a key. */
export const whoami = catalog.find(({ name }) => name === 'getMe') as Operation;
