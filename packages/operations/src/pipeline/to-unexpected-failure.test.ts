import { describe, expect, test } from '@jest/globals';
import { isDatabaseUnreachable, isQueryCanceled, toUnexpectedFailure } from './to-unexpected-failure.js';

const error = (message: string, more: object = {}) => Object.assign(new Error(message), more);
const adapter = (cause: object) => ({ driverAdapterError: { name: 'DriverAdapterError', cause } });

/** The errors of Prisma 7 on node-postgres, recorded against a server that was stopped. */
describe('an unreachable database', () => {
  test.each([
    ['is not listening', error('', { code: 'ECONNREFUSED' })],
    [
      'is not listening, on a model query',
      error('', { code: 'P1001', meta: adapter({ kind: 'DatabaseNotReachable' }) }),
    ],
    [
      'is not listening, on SQL',
      error('', { code: 'P2010', meta: adapter({ kind: 'DatabaseNotReachable' }) }),
    ],
    ['shuts down', error('', { code: 'P2039', meta: adapter({ originalCode: '57P01', kind: 'postgres' }) })],
    [
      'lost the connection of a transaction',
      error('Client has encountered a connection error and is not queryable'),
    ],
    ['closed the connection', error('Connection terminated unexpectedly')],
    ['has no free connection', error('', { code: 'P2010', meta: adapter({ code: '53300' }) })],
    ['exceeds the transaction timeout', error('', { code: 'P2028' })],
    ['is the cause of another error', error('', { cause: error('', { code: '08006' }) })],
  ])('%s', (_how, away) => {
    expect(toUnexpectedFailure(away, 'none')).toMatchObject({
      code: 'service.unavailable',
      retryAfterSeconds: 5,
    });
  });
});

test.each([
  ['on a statement of our own', error('', { code: '57014' })],
  [
    'on a statement of Prisma',
    error('', { code: 'P2010', meta: adapter({ originalCode: '57014', kind: 'postgres' }) }),
  ],
])('finding 80: a statement that timed out, %s, may be retried', (_how, canceled) => {
  expect(isQueryCanceled(canceled)).toBe(true);
  expect(isDatabaseUnreachable(canceled)).toBe(false);
  expect(toUnexpectedFailure(canceled, 'none')).toMatchObject({
    code: 'service.unavailable',
    retryAfterSeconds: 5,
    message: 'The database took too long to respond. Retry shortly, or request less at once.',
  });
});

test.each([
  ['a bug', new TypeError('x is not a function')],
  ['a violated database constraint', error('', { code: 'P2002' })],
  ['bad SQL', error('', { code: 'P2010', meta: adapter({ originalCode: '42601', kind: 'postgres' }) })],
  ['nothing', undefined],
  ['a string', 'ECONNREFUSED'],
])('%s is an internal error, not a database failure', (_what, thrown) => {
  expect(toUnexpectedFailure(thrown, 'none')).toMatchObject({ code: 'internal.error' });
});

test('terminates on circular causes', () => {
  const round = error('round');
  round.cause = round;
  expect(isDatabaseUnreachable(round)).toBe(false);
});
