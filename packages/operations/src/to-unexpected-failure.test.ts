import { describe, expect, test } from '@jest/globals';
import { isDatabaseUnreachable, isQueryCanceled, toUnexpectedFailure } from './to-unexpected-failure.js';

const error = (message: string, more: object = {}) => Object.assign(new Error(message), more);
const adapter = (cause: object) => ({ driverAdapterError: { name: 'DriverAdapterError', cause } });

/** As Prisma 7 on node-postgres says it, taken down from a server that was stopped. */
describe('a database that is away', () => {
  test.each([
    ['is not listening', error('', { code: 'ECONNREFUSED' })],
    [
      'is not listening, to a model',
      error('', { code: 'P1001', meta: adapter({ kind: 'DatabaseNotReachable' }) }),
    ],
    [
      'is not listening, to SQL',
      error('', { code: 'P2010', meta: adapter({ kind: 'DatabaseNotReachable' }) }),
    ],
    ['shuts down', error('', { code: 'P2039', meta: adapter({ originalCode: '57P01', kind: 'postgres' }) })],
    [
      'lost the connection of a transaction',
      error('Client has encountered a connection error and is not queryable'),
    ],
    ['hung up', error('Connection terminated unexpectedly')],
    ['has no connection left', error('', { code: 'P2010', meta: adapter({ code: '53300' }) })],
    ['gives no transaction in time', error('', { code: 'P2028' })],
    ['is what something else was caused by', error('', { cause: error('', { code: '08006' }) })],
  ])('%s', (_how, away) => {
    expect(toUnexpectedFailure(away, 'none')).toMatchObject({ code: 'service.unavailable', retryAfterSeconds: 5 });
  });
});

test.each([
  ['to a statement of our own', error('', { code: '57014' })],
  [
    'to a statement of Prisma',
    error('', { code: 'P2010', meta: adapter({ originalCode: '57014', kind: 'postgres' }) }),
  ],
])('finding 80: a statement that took too long, %s, may be repeated', (_how, canceled) => {
  expect(isQueryCanceled(canceled)).toBe(true);
  expect(isDatabaseUnreachable(canceled)).toBe(false);
  expect(toUnexpectedFailure(canceled, 'none')).toMatchObject({
    code: 'service.unavailable',
    retryAfterSeconds: 5,
    message: 'The database took too long to answer. Try again in a moment, or ask for less at once.',
  });
});

test.each([
  ['a bug', new TypeError('x is not a function')],
  ['a broken rule of the database', error('', { code: 'P2002' })],
  ['bad SQL', error('', { code: 'P2010', meta: adapter({ originalCode: '42601', kind: 'postgres' }) })],
  ['nothing', undefined],
  ['a word', 'ECONNREFUSED'],
])('%s is ours, not the database’s', (_what, thrown) => {
  expect(toUnexpectedFailure(thrown, 'none')).toMatchObject({ code: 'internal.error' });
});

test('causes that run in a circle end', () => {
  const round = error('round');
  round.cause = round;
  expect(isDatabaseUnreachable(round)).toBe(false);
});
