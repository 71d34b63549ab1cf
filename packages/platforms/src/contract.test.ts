import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Platform } from '@switchboard/domain/ports';
import { SANDBOX_CLIENT, startSandbox, type EffectName, type PlatformName } from '@switchboard/sandbox';
import { catalog } from './catalog.js';
import { platformContract } from '@switchboard/platform-kit/testing/contract';
import { keysContract } from '@switchboard/platform-kit/testing/keys-contract';
import { serversContract } from '@switchboard/platform-kit/testing/servers-contract';
import type { World } from '@switchboard/platform-kit/testing/world';
import instagram from './instagram/index.js';
import { startPageWorld } from './instagram/testing/world.js';
import template from './template/index.js';

const folderOf = (platform: Platform) => platform.manifest.id.replaceAll('_', '-');
const file = (...names: string[]) => path.join(import.meta.dirname, ...names);

/**
 * Where the contract runs: in the sandbox for platforms that are part of it, otherwise in the platform's own
 * `testing/world.ts`.
 */
async function startWorld(folder: string): Promise<World> {
  if (folder === 'sandbox-social')
    return startSandboxWorld('social', 'maren-holt', ['post.created', 'comment.created']);
  if (folder === 'sandbox-store') return startSandboxWorld('store', 'alder-oak', ['refund.created']);
  const own = (await import(`./${folder}/testing/world.js`)) as { startWorld: () => Promise<World> };
  return own.startWorld();
}

describe.each(catalog.map((platform) => [platform.manifest.id, folderOf(platform)]))('%s', (_id, folder) => {
  test('is in the folder of its name, with a NOTES.md', () => {
    expect(existsSync(file(folder, 'index.ts'))).toBe(true);
    expect(existsSync(file(folder, 'NOTES.md'))).toBe(true);
  });
});

for (const platform of catalog) platformContract(platform, () => startWorld(folderOf(platform)));
for (const platform of catalog) keysContract(platform, () => startWorld(folderOf(platform)));
for (const platform of catalog) serversContract(platform, () => startWorld(folderOf(platform)));
platformContract(instagram, startPageWorld, 'facebook_page');
platformContract(template, () => startWorld('template'));

interface ListedPost {
  readonly text: string;
  readonly reply_to?: string | null;
  readonly post_id?: string;
  readonly media?: readonly { readonly url: string; readonly alt_text: string | null }[];
}

async function startSandboxWorld(
  name: PlatformName,
  account: string,
  effects: readonly EffectName[],
): Promise<World> {
  const sandbox = await startSandbox();
  const issuer = `${sandbox.url}/${name}`;
  const expiredToken = await grant(issuer, account);
  sandbox.control.expireTokens();
  const [token, weakToken] = [await grant(issuer, account), await grant(issuer, account, 'profile')];
  const look = async (id: string) => {
    const place = id.startsWith('c') ? 'comments' : 'posts';
    const headers = { authorization: `Bearer ${token}` };
    return (await (await fetch(`${issuer}/api/${place}/${id}`, { headers })).json()) as ListedPost;
  };
  return {
    baseUrl: sandbox.url,
    account: { id: account, username: null, name: null, avatarUrl: null, url: null },
    token,
    expiredToken,
    weakToken,
    break: (how, skipRequests = 0) =>
      void sandbox.faults.add({ platform: name, kind: how, after: skipRequests }),
    delayUrls: (held) => sandbox.control.changeSettings({ post_url_after_seconds: held ? 3600 : 0 }),
    repair: () => sandbox.faults.clear(),
    requests: () => sandbox.requests().length,
    effects: () => sandbox.ledger.entries().filter(({ effect }) => effects.includes(effect)).length,
    edits: () => sandbox.ledger.entries().filter(({ effect }) => effect.endsWith('.edited')).length,
    textOf: async (id) => (await look(id)).text,
    async parentOf(id) {
      const { reply_to: post, post_id: commented } = await look(id);
      return post ?? commented ?? null;
    },
    mediaOf: async (id) =>
      Promise.all(
        ((await look(id)).media ?? []).map(async ({ url, alt_text: altText }) => {
          const file = await fetch(url);
          const sha256 = createHash('sha256')
            .update(await file.bytes())
            .digest('hex');
          return { type: file.headers.get('content-type') ?? '', sha256, altText };
        }),
      ),
    // Null for a refund that was created in the store itself.
    omittedFields: ['data.*.reference'],
    close: () => sandbox.close(),
  };
}

/** Follows the sandbox's consent page like a user and returns an access token. */
async function grant(issuer: string, account: string, scope?: string): Promise<string> {
  const redirectUri = 'http://127.0.0.1:9/callback';
  const verifier = randomBytes(32).toString('base64url');
  const requested = new URLSearchParams({
    response_type: 'code',
    client_id: SANDBOX_CLIENT.id,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(scope === undefined ? {} : { scope }),
  });
  const page = await fetch(`${issuer}/oauth/authorize?${requested.toString()}`);
  const html = await page.text();
  const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '';
  const landed = await fetch(`${issuer}/oauth/authorize`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: (page.headers.get('set-cookie') ?? '').split(';')[0] ?? '' },
    body: new URLSearchParams({
      request: hidden('request'),
      csrf: hidden('csrf'),
      account,
      decision: 'approve',
    }),
  });
  const code = new URL(landed.headers.get('location') ?? 'about:blank').searchParams.get('code') ?? '';
  const response = await fetch(`${issuer}/oauth/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${SANDBOX_CLIENT.id}:${SANDBOX_CLIENT.secret}`).toString('base64')}`,
    },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}
