import { expect, test } from '@jest/globals';
import { seededRandom } from '../../testing/stores/seeded-random.js';
import type { ConnectionId } from '../ids.js';
import { formatOrderId, parseOrderId } from './order-id.js';

const connectionId = 'con_01hzx3k9v7m2q4r5s6t7v8w9xa' as ConnectionId;

test('an id parses back to the connection and the store’s own id, in any script', () => {
  for (const externalId of ['1', '1042', 'so_9f2k', 'gid://shopify/Order/450789469', 'pedido-ñ-漢字-🧾']) {
    const id = formatOrderId({ connectionId, externalId });
    expect(id).toMatch(/^ord_[A-Za-z0-9_-]{1,196}$/);
    expect(parseOrderId(id)).toEqual({ connectionId, externalId });
  }
});

test('an id is deterministic and is the base64url of its parts', () => {
  const id = formatOrderId({ connectionId, externalId: '1042' });
  expect(Buffer.from(id.slice(4), 'base64url').toString()).toBe('101hzx3k9v7m2q4r5s6t7v8w9xa1042');
});

test('every other text is rejected, even with minimal differences', () => {
  const id = formatOrderId({ connectionId, externalId: '1042' });
  const base64 = (text: string) => `ord_${Buffer.from(text).toString('base64url')}`;
  const wrong = [
    '',
    'ord_',
    'ord_!',
    'pst_01hzx3k9v7m2q4r5s6t7v8w9xa',
    `${id}=`,
    id.slice(0, -1),
    `${id}A`,
    id.toUpperCase(),
    base64('201hzx3k9v7m2q4r5s6t7v8w9xa1042'),
    base64('101hzx3k9v7m2q4r5s6t7v8w9xa'),
    base64('1ILOU3k9v7m2q4r5s6t7v8w9xa1042'),
    'ord_' + Buffer.from([0x31, 0xff, 0xfe]).toString('base64url'),
    base64('101hzx3k9v7m2q4r5s6t7v8w9xa..'),
    base64('101hzx3k9v7m2q4r5s6t7v8w9xa1\r\n2'),
    'ord_' + 'A'.repeat(500),
  ];
  for (const text of wrong) expect(parseOrderId(text)).toBeNull();
});

test('random texts never throw', () => {
  const random = seededRandom(7);
  for (let round = 0; round < 2000; round++) {
    const length = random.int(0, 60);
    const text = Array.from({ length }, () => random.pick([...'abcXYZ019-_'])).join('');
    const parsed = parseOrderId(`ord_${text}`);
    if (parsed) expect(formatOrderId(parsed)).toBe(`ord_${text}`);
  }
});
