import { expect, test } from '@jest/globals';
import { catalog, type Operation } from '@switchboard/operations';
import { readArguments } from './arguments.js';
import { deriveTools } from './tool.js';

const named = (name: string) => catalog.find((operation) => operation.name === name) as Operation;
const settling = (operation: Operation): Operation => ({
  ...operation,
  settling: {
    isSettled: () => true,
    readAgain: async (_ports, _call, value) => ({ ok: true, value }),
    progress: () => ({ done: 1, total: 1, message: 'Done.' }),
    mcpWaitSeconds: 10,
  },
});

test('separates from the arguments what is a header on REST', () => {
  const given = { name: 'Lumen', idempotency_key: 'k1', wait_seconds: 3 };
  expect(readArguments(settling(named('createProfile')), given)).toEqual({
    input: { ok: true, value: { name: 'Lumen' } },
    idempotencyKey: 'k1',
    waitSeconds: 3,
    detail: false,
  });
});

test('waits as long as the operation suggests when the agent sets no wait', () => {
  expect(readArguments(settling(named('createProfile')), {})).toMatchObject({ waitSeconds: 10 });
  expect(readArguments(named('createProfile'), {})).toMatchObject({ waitSeconds: undefined });
});

test('an argument that the tool does not have stays in the input, which rejects it', () => {
  const given = { idempotency_key: 'k1', wait_seconds: 3 };
  expect(readArguments(named('listProfiles'), given)).toMatchObject({ input: { value: given } });
});

test.each([
  [{ wait_seconds: 31 }, 'wait_seconds'],
  [{ wait_seconds: '5' }, 'wait_seconds'],
  [{ wait_seconds: -1 }, 'wait_seconds'],
  [{ idempotency_key: 7 }, 'idempotency_key'],
  [{ idempotency_key: '' }, 'idempotency_key'],
])('rejects %j and names the field', (given, path) => {
  expect(readArguments(settling(named('createProfile')), given).input).toMatchObject({
    ok: false,
    failure: { code: 'request.invalid', problems: [{ path }] },
  });
});

test('a tool lists these arguments exactly when it accepts them', () => {
  const fields = (operation: Operation) =>
    Object.keys(deriveTools([operation])[0]?.tool.inputSchema['properties'] as object);
  expect(fields(settling(named('createProfile')))).toEqual(
    expect.arrayContaining(['idempotency_key', 'wait_seconds']),
  );
  expect(fields(named('listProfiles'))).not.toEqual(expect.arrayContaining(['idempotency_key']));
});
