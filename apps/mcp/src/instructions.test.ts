import { expect, test } from '@jest/globals';
import { instructionsFor } from './instructions.js';

test('tells an agent to call whoami first, and of nothing that is out of reach', () => {
  const text = instructionsFor({ toolsets: ['social'], readOnly: false });
  expect(text).toContain('Call whoami first');
  expect(text).toContain('those are listed that this key may use');
  expect(text).toContain('create_post');
  expect(text).not.toContain('refund_order');
  expect(text).not.toContain('Only reading');
});

test('says so when only reading is allowed', () => {
  const text = instructionsFor({ toolsets: ['commerce'], readOnly: true });
  expect(text).toContain('Only reading is allowed');
  expect(text).toContain('quote_refund');
  expect(text).not.toContain('refund_order');
});

test('promises a repetition by idempotency_key only of tools that have one', () => {
  const text = instructionsFor({ toolsets: ['social'], readOnly: false });
  expect(text).toMatch(/with the same idempotency_key, where the tool has one/);
});
