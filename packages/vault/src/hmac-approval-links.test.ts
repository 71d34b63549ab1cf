import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { ApprovalId, WorkspaceId } from '@switchboard/domain';
import { movableClock } from '@switchboard/domain/testing';
import { hmacApprovalLinks } from './hmac-approval-links.js';
import { hmacMediaLinks } from './hmac-media-links.js';

const key = randomBytes(32);
const publicUrl = 'https://switchboard.example';
const links = hmacApprovalLinks({ key, publicUrl });
const approval = {
  workspaceId: 'wsp_01j0000000000000000000000a' as WorkspaceId,
  id: 'apr_01j0000000000000000000000b' as ApprovalId,
};
const tokenOf = (url: string) => url.split('/').at(-1) ?? '';

test('a link identifies its approval, and is the same whenever it is derived', () => {
  const url = links.urlOf(approval);
  expect(url).toMatch(/^https:\/\/switchboard\.example\/approvals\/[A-Za-z0-9_-]+$/);
  expect(links.read(tokenOf(url))).toEqual(approval);
  expect(hmacApprovalLinks({ key, publicUrl }).urlOf(approval)).toBe(url);
});

test('a modified or truncated link, one for another use, or one of another installation, is rejected', () => {
  const token = tokenOf(links.urlOf(approval));
  const clock = movableClock();
  const upload = { workspaceId: approval.workspaceId, mediaId: approval.id as never };
  const others = [
    ...Array.from(
      token,
      (letter, at) => token.slice(0, at) + (letter === 'A' ? 'B' : 'A') + token.slice(at + 1),
    ),
    ...Array.from(token, (_, at) => token.slice(0, at)),
    `${token}A`,
    `${token}=`,
    approval.id,
    tokenOf(hmacApprovalLinks({ key: randomBytes(32), publicUrl }).urlOf(approval)),
    tokenOf(hmacMediaLinks({ key, publicUrl, clock }).uploadUrl(upload, clock.after(1000))),
  ];
  for (const other of others) expect([other, links.read(other)]).toEqual([other, null]);
});
