import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Platform } from '@switchboard/domain';
import { SANDBOX_CLIENT, startSandbox, type PlatformName } from '@switchboard/simulators';
import { startWorld as startBluesky } from './bluesky/testing/world.js';
import { catalogue } from './catalogue.js';
import { platformContract } from './kit/testing/contract.js';
import type { World } from './kit/testing/world.js';

const worlds: Readonly<Record<string, () => Promise<World>>> = {
  bluesky: startBluesky,
  sandbox_social: () => startSandboxWorld('social', 'maren-holt', 'post.created'),
  sandbox_store: () => startSandboxWorld('store', 'alder-oak', 'refund.created'),
};

describe('the catalogue', () => {
  const folder = ({ manifest }: Platform) => path.join(import.meta.dirname, manifest.id.replaceAll('_', '-'));

  test('has a world to prove every platform in', () => {
    expect(catalogue.map((platform) => platform.manifest.id).sort()).toEqual(Object.keys(worlds).sort());
  });

  test.each(catalogue)('tells what was learned of $manifest.id', (platform) => {
    expect(existsSync(path.join(folder(platform), 'NOTES.md'))).toBe(true);
  });
});

for (const platform of catalogue) {
  platformContract(platform, () => {
    const start = worlds[platform.manifest.id];
    if (!start) throw new Error(`no world for ${platform.manifest.id}`);
    return start();
  });
}

async function startSandboxWorld(
  name: PlatformName,
  account: string,
  effect: 'post.created' | 'refund.created',
): Promise<World> {
  const sandbox = await startSandbox();
  const issuer = `${sandbox.url}/${name}`;
  const expiredToken = await grant(issuer, account);
  sandbox.control.expireTokens();
  const [token, weakToken] = [await grant(issuer, account), await grant(issuer, account, 'profile')];
  return {
    baseUrl: sandbox.url,
    account: { id: account, username: null, name: null, avatarUrl: null, url: null },
    token,
    expiredToken,
    weakToken,
    break: (how) => void sandbox.faults.add({ platform: name, kind: how }),
    mend: () => sandbox.faults.clear(),
    requests: () => sandbox.requests().length,
    effects: () => sandbox.ledger.entries({ effect }).length,
    async textOf(id) {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${issuer}/api/posts/${id}`, { headers });
      return ((await answer.json()) as { text: string }).text;
    },
    close: () => sandbox.close(),
  };
}

/** Goes through the sandbox's consent page as a person would, and comes back with an access token. */
async function grant(issuer: string, account: string, scope?: string): Promise<string> {
  const redirectUri = 'http://127.0.0.1:9/callback';
  const verifier = randomBytes(32).toString('base64url');
  const asked = new URLSearchParams({
    response_type: 'code',
    client_id: SANDBOX_CLIENT.id,
    redirect_uri: redirectUri,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(scope === undefined ? {} : { scope }),
  });
  const page = await fetch(`${issuer}/oauth/authorize?${asked.toString()}`);
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
  const answer = await fetch(`${issuer}/oauth/token`, {
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
  return ((await answer.json()) as { access_token: string }).access_token;
}
