import { expect } from '@jest/globals';

/** The headers of every response that a browser receives from a hosted page. */
export function expectHardened(url: string, status: number, headers: Readonly<Record<string, string>>): void {
  const policy = headers['content-security-policy'] ?? '';
  expect([url, status, headers]).toEqual([
    url,
    status,
    expect.objectContaining({
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    }),
  ]);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|script-src/);
}
