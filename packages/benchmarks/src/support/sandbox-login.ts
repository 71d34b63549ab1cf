import { createHash, randomBytes } from 'node:crypto';
import { sandboxControl, type SwitchboardProcesses } from '@switchboard/acceptance';

/** An access token of an account of the sandbox's social network, by the flow of a browser, for an app of its own. */
export async function logInToSandbox(
  { url, sandboxUrl }: Pick<SwitchboardProcesses, 'url' | 'sandboxUrl'>,
  account: string,
): Promise<string> {
  const app = { id: `bench-${randomBytes(6).toString('hex')}`, secret: randomBytes(16).toString('hex') };
  await sandboxControl(sandboxUrl).addClient(app);
  const verifier = randomBytes(32).toString('base64url');
  const redirectUri = `${url}/oauth/callback/sandbox_social`;
  const authorize = `${sandboxUrl}/social/oauth/authorize`;
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: app.id,
    redirect_uri: redirectUri,
    scope: 'profile posts:write',
    state: 'bench',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const page = await fetch(`${authorize}?${query.toString()}`);
  const text = await page.text();
  const hidden = (name: string) => {
    const value = new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1];
    if (value === undefined) throw new Error(`the consent page has no field ${name}: ${text.slice(0, 500)}`);
    return value;
  };
  const consent = await fetch(authorize, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: (page.headers.get('set-cookie') ?? '').split(';', 1).join() },
    body: new URLSearchParams({
      request: hidden('request'),
      csrf: hidden('csrf'),
      account,
      decision: 'approve',
    }),
  });
  const code = new URL(consent.headers.get('location') ?? '', sandboxUrl).searchParams.get('code');
  if (code === null) throw new Error(`the sandbox returned no code: ${consent.status}`);
  const token = await fetch(`${sandboxUrl}/social/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${Buffer.from(`${app.id}:${app.secret}`).toString('base64')}` },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    }),
  });
  const { access_token: accessToken } = (await token.json()) as { access_token?: string };
  if (accessToken === undefined) throw new Error(`the sandbox returned no token: ${token.status}`);
  return accessToken;
}
