import { expect, test } from '@jest/globals';
import { instructionsFor } from './instructions.js';

test('starts with whoami, and names no unavailable tool', () => {
  const text = instructionsFor({ toolsets: ['social'], readOnly: false });
  expect(text).toContain('Call whoami first');
  expect(text).toContain('Only tools that this key may use are listed');
  expect(text).toContain('create_post');
  expect(text).not.toContain('refund_order');
  expect(text).not.toContain('read-only');
});

test('states that the server is read-only', () => {
  const text = instructionsFor({ toolsets: ['commerce'], readOnly: true });
  expect(text).toContain('This server is read-only');
  expect(text).toContain('quote_refund');
  expect(text).not.toContain('refund_order');
});

test('mentions idempotency_key only when an available tool has one', () => {
  const text = instructionsFor({ toolsets: ['social'], readOnly: false });
  expect(text).toMatch(/with the same idempotency_key, where the tool has one/);
});
