import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import { formOf, openBrowser, type Browser, type Visit } from './browser.js';
import { beginAt, locationOf, type Approval } from './connect-sandbox.js';

/** The one page of an authorization server on which a person says who they are and what they allow. */
export function oidcConsent(provider: Provider) {
  const granted = new Map<string, string[]>();

  async function decide(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { params, prompt } = await provider.interactionDetails(request, response);
    if (request.method !== 'POST') {
      response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
      return;
    }
    const form = new URLSearchParams(await textOf(request));
    const [account, clientId] = [form.get('account') ?? '', String(params['client_id'])];
    if (form.get('decision') !== 'approve') {
      const refusal = { error: 'access_denied', error_description: 'The person did not agree.' };
      return provider.interactionFinished(request, response, refusal);
    }
    const grant = new provider.Grant({ accountId: account, clientId });
    const asked = prompt.details['missingOIDCScope'];
    grant.addOIDCScope(Array.isArray(asked) ? asked.join(' ') : String(params['scope']));
    const grantId = await grant.save();
    granted.set(account, [...(granted.get(account) ?? []), grantId]);
    const login = { accountId: account, remember: false };
    return provider.interactionFinished(request, response, { login, consent: { grantId } });
  }

  return {
    answer: (request: IncomingMessage, response: ServerResponse) =>
      decide(request, response).catch((error: unknown) => {
        response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error));
      }),
    async revokeGrants(account: string): Promise<void> {
      for (const grantId of granted.get(account) ?? []) {
        await provider.AccessToken.revokeByGrantId(grantId);
        await provider.RefreshToken.revokeByGrantId(grantId);
        await (await provider.Grant.find(grantId))?.destroy();
      }
      granted.delete(account);
    },
  };
}

const PAGE =
  '<form method="post" action=""><input name="account" value=""><input name="decision" value=""></form>';

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(request, 'end');
  return Buffer.concat(chunks).toString();
}

/** What a person does there: from the authorization URL to the callback's address, which is not opened yet. */
export async function consentAtOidc(
  browser: Browser,
  authorizationUrl: string,
  { account, decision = 'approve' }: Approval,
): Promise<string> {
  const asking = locationOf(await browser.get(authorizationUrl));
  const form = formOf(await browser.get(asking), ({ fields }) => fields['decision'] !== undefined);
  const answered = await browser.post(form.action, { account, decision });
  return locationOf(await browser.get(locationOf(answered)));
}

/** The whole hosted flow through such a server. Answers the page at the end. */
export async function connectAtOidc(hostedUrl: string, approval: Approval): Promise<Visit> {
  const browser = openBrowser();
  const leaving = await beginAt(browser, hostedUrl, 'oauth');
  return browser.get(await consentAtOidc(browser, locationOf(leaving), approval));
}
