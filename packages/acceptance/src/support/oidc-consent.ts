import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type Provider from 'oidc-provider';
import { findForm, openBrowser, type Browser, type PageVisit } from './browser.js';
import { submitConnectForm, getLocation, type ConsentDecision } from './connect-sandbox.js';

/** The single page of an authorization server where a user signs in and consents. */
export function oidcConsent(provider: Provider) {
  const grantIds = new Map<string, string[]>();

  async function handleInteraction(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { params, prompt } = await provider.interactionDetails(request, response);
    if (request.method !== 'POST') {
      response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
      return;
    }
    const form = new URLSearchParams(await readText(request));
    const [account, clientId] = [form.get('account') ?? '', String(params['client_id'])];
    if (form.get('decision') !== 'approve') {
      const refusal = { error: 'access_denied', error_description: 'The user denied the request.' };
      return provider.interactionFinished(request, response, refusal);
    }
    const grant = new provider.Grant({ accountId: account, clientId });
    const asked = prompt.details['missingOIDCScope'];
    grant.addOIDCScope(Array.isArray(asked) ? asked.join(' ') : String(params['scope']));
    const grantId = await grant.save();
    grantIds.set(account, [...(grantIds.get(account) ?? []), grantId]);
    const login = { accountId: account, remember: false };
    return provider.interactionFinished(request, response, { login, consent: { grantId } });
  }

  return {
    answer: (request: IncomingMessage, response: ServerResponse) =>
      handleInteraction(request, response).catch((error: unknown) => {
        response.writeHead(500, { 'content-type': 'text/plain' }).end(String(error));
      }),
    async revokeGrants(account: string): Promise<void> {
      for (const grantId of grantIds.get(account) ?? []) {
        await provider.AccessToken.revokeByGrantId(grantId);
        await provider.RefreshToken.revokeByGrantId(grantId);
        await (await provider.Grant.find(grantId))?.destroy();
      }
      grantIds.delete(account);
    },
  };
}

const PAGE =
  '<form method="post" action=""><input name="account" value=""><input name="decision" value=""></form>';

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(request, 'end');
  return Buffer.concat(chunks).toString();
}

/**
 * The user's actions on that page: from the authorization URL to the callback URL, which is not opened yet.
 */
export async function consentAtOidc(
  browser: Browser,
  authorizationUrl: string,
  { account, decision = 'approve' }: ConsentDecision,
): Promise<string> {
  const interactionUrl = getLocation(await browser.get(authorizationUrl));
  const form = findForm(await browser.get(interactionUrl), ({ fields }) => fields['decision'] !== undefined);
  const submitted = await browser.post(form.action, { account, decision });
  return getLocation(await browser.get(getLocation(submitted)));
}

/** The complete hosted flow through such a server. Returns the final page. */
export async function connectAtOidc(hostedUrl: string, approval: ConsentDecision): Promise<PageVisit> {
  const browser = openBrowser();
  const redirectPage = await submitConnectForm(browser, hostedUrl, 'oauth');
  return browser.get(await consentAtOidc(browser, getLocation(redirectPage), approval));
}
