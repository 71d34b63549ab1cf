import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { publint } from 'publint';
import type { Event, Order, Post } from './index.js';

const root = path.resolve(import.meta.dirname, '../../..');
let folder: string;
let tarball: Uint8Array<ArrayBuffer>;
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'switchboard-client-'));
  const pnpm = path.join(root, 'node_modules/.bin/pnpm');
  execFileSync(pnpm, ['pack', '--pack-destination', folder], { cwd: path.join(root, 'packages/client') });
  const [file = ''] = readdirSync(folder);
  tarball = new Uint8Array(readFileSync(path.join(folder, file)));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('has the published shape that publint expects', async () => {
  const { messages } = await publint({
    pack: { tarball: tarball.buffer },
    level: 'suggestion',
    strict: true,
  });
  expect(messages).toEqual([]);
});

test('has types that resolve wherever ES modules do', async () => {
  const result = await checkPackage(createPackageFromTarballData(tarball));
  const problems = result.types === false ? ['no types'] : result.problems;
  // CommonJS, and the resolution of Node.js 10, cannot load an ES module.
  const ofModules = problems.filter(
    (problem) =>
      typeof problem === 'string' ||
      !('resolutionKind' in problem) ||
      ['node16-esm', 'bundler'].includes(problem.resolutionKind),
  );
  expect(ofModules).toEqual([]);
});

test('can be bundled for browsers, with less than 20 KB', async () => {
  const { outputFiles } = await build({
    entryPoints: [path.join(root, 'packages/client/dist/index.js')],
    bundle: true,
    minify: true,
    write: false,
    platform: 'browser',
    format: 'esm',
    logLevel: 'silent',
  });
  expect(outputFiles[0]?.text).toContain('Idempotency-Key');
  expect(outputFiles[0]?.contents.length).toBeLessThan(20_000);
});

test('has types for the resources', () => {
  const excerpt = ({ status }: Pick<Post, 'status'>, { totals }: Pick<Order, 'totals'>) =>
    `${status} ${totals.refundable.currency}`;
  const money = { amount: '1.00', currency: 'EUR' };
  const names = ['subtotal', 'discount', 'shipping', 'tax', 'total', 'refunded', 'refundable'] as const;
  const totals = Object.fromEntries(names.map((name) => [name, money])) as Order['totals'];
  expect(excerpt({ status: 'published' }, { totals })).toBe('published EUR');
  // @ts-expect-error -- not a status of a post
  expect(excerpt({ status: 'posted' }, { totals })).toBe('posted EUR');
});

test('has the payload of every type of event as a discriminated union', () => {
  const describe = (event: Event): string => {
    switch (event.type) {
      case 'post.published':
      case 'post.failed':
        return event.data.deliveries.map(({ url, error }) => url ?? error?.code ?? '').join();
      case 'connection.needs_reauth':
        return `${event.data.account} ${event.data.affected_posts.count}`;
      case 'refund.succeeded':
        return event.data.amount.amount;
      case 'key.revoked':
        // @ts-expect-error -- a key has no deliveries
        return String(event.data.deliveries);
      // @ts-expect-error -- not a type of event
      case 'post.liked':
        return '';
      default:
        return event.id;
    }
  };
  const event: Event = {
    id: 'evt_1',
    type: 'connection.needs_reauth',
    created_at: '2026-11-21T09:00:02.000Z',
    profile_id: null,
    sequence: 1,
    data: {
      connection_id: 'con_1',
      platform: 'bluesky',
      account: 'lumen.coffee',
      reason: 'grant_ended',
      affected_posts: { count: 2, ids: [] },
      next: { operation: 'startConnect', arguments: {} },
    },
  };
  expect(describe(event)).toBe('lumen.coffee 2');
});
