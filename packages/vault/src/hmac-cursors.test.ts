import { randomBytes, randomInt } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { WorkspaceId } from '@switchboard/domain';
import type { CursorScope } from '@switchboard/domain/ports';
import { hmacCursors } from './hmac-cursors.js';

const cursors = hmacCursors({ key: randomBytes(32) });
const scope: CursorScope = {
  workspaceId: 'wsp_01j0000000000000000000000a' as WorkspaceId,
  list: 'list_posts',
  filter: { status: ['failed', 'missed'], profile: 'prf_1', sort: '-created_at' },
};
const POSITION = '2026-11-20T10:00:00.123456Z|pst_01j0';
const invalid = { ok: false, failure: { code: 'request.invalid_cursor' } };

test('returns the position that it was created with', () => {
  for (const position of [POSITION, '', '0', 'ü🔑\u0000', 'x'.repeat(5000)]) {
    const cursor = cursors.write(scope, position);
    expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(cursors.read(scope, cursor)).toEqual({ ok: true, value: position });
  }
});

test('holds a position in each of two hundred stores and fits into a query string', () => {
  const digits = (count: number) => String(randomInt(10 ** (count - 1), 10 ** count));
  const rows = Array.from({ length: 200 }, () => {
    const id = `58${digits(11)}`;
    const token = Buffer.from(JSON.stringify({ last_id: id, last_value: `2026-11-${digits(2)}` }));
    return [randomBytes(5).toString('hex'), token.toString('base64'), digits(8), `gid://shopify/Order/${id}`];
  });
  const position = JSON.stringify({ v: 1, p: 20, l: rows });
  const cursor = cursors.write(scope, position);
  expect(position.length).toBeGreaterThan(20_000);
  expect(cursor.length).toBeLessThan(12_000);
  expect(cursors.read(scope, cursor)).toEqual({ ok: true, value: position });
});

test('ignores the order of the filter’s members, and absent members', () => {
  const cursor = cursors.write(scope, POSITION);
  const filter = { sort: '-created_at', platform: undefined, profile: 'prf_1', status: ['failed', 'missed'] };
  expect(cursors.read({ ...scope, filter }, cursor).ok).toBe(true);
});

test.each<[string, Partial<CursorScope>]>([
  ['workspace', { workspaceId: 'wsp_01j0000000000000000000000b' as WorkspaceId }],
  ['list', { list: 'list_orders' }],
  ['filter, less', { filter: { status: ['failed', 'missed'], profile: 'prf_1' } }],
  ['filter, more', { filter: { ...(scope.filter as object), platform: 'bluesky' } }],
  [
    'filter, otherwise ordered list',
    { filter: { ...(scope.filter as object), status: ['missed', 'failed'] } },
  ],
  ['filter, null', { filter: null }],
  ['filter, none', { filter: undefined }],
  ['boundary between list and filter', { list: 'list_posts{' }],
])('is rejected with another %s', (_what, change) => {
  expect(cursors.read({ ...scope, ...change }, cursors.write(scope, POSITION))).toMatchObject(invalid);
  expect(cursors.read(scope, cursors.write({ ...scope, ...change }, POSITION))).toMatchObject(invalid);
});

test('is rejected with any modified character, any shorter length, and appended characters', () => {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. %\n\u0000ä';
  for (const position of [POSITION, `${POSITION}1`, `${POSITION}12`]) {
    const cursor = cursors.write(scope, position);
    for (let at = 0; at < cursor.length; at++) {
      expect(cursors.read(scope, cursor.slice(0, at))).toMatchObject(invalid);
      for (const letter of alphabet) {
        const changed = cursor.slice(0, at) + letter + cursor.slice(at + 1);
        if (changed !== cursor && cursors.read(scope, changed).ok) throw new Error(`accepted ${changed}`);
      }
    }
    for (const more of ['A', 'AAAA', '=', '==', '\n', ' ', '\u0000']) {
      expect(cursors.read(scope, cursor + more)).toMatchObject(invalid);
      expect(cursors.read(scope, more + cursor)).toMatchObject(invalid);
    }
  }
});

test('is rejected when another installation signed it, or when it has no valid signature', () => {
  expect(cursors.read(scope, hmacCursors({ key: randomBytes(32) }).write(scope, POSITION))).toMatchObject(
    invalid,
  );
  for (let at = 0; at < 10_000; at++) {
    expect(cursors.read(scope, randomBytes(at % 80).toString('base64url')).ok).toBe(false);
  }
});
