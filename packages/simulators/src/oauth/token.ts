import type { Request } from 'express';
import type { Answer } from '../wire/answer.js';
import { empty, json } from '../wire/answer.js';
import { bodyFields } from '../wire/parameters.js';
import type { Clients } from './client.js';
import type { Grants } from './grants.js';

/** `POST /oauth/token` */
export function answerToken(clients: Clients, grants: Grants, request: Request): Answer {
  const client = readClient(clients, request);
  if ('refusal' in client) return client.refusal;
  const form = bodyFields(request);
  const text = (name: string) =>
    typeof form[name] === 'string' && form[name] !== '' ? form[name] : undefined;
  const grantType = text('grant_type');
  if (grantType === 'authorization_code') {
    const [code, redirectUri, verifier] = [text('code'), text('redirect_uri'), text('code_verifier')];
    if (code === undefined || redirectUri === undefined || verifier === undefined) {
      return wrong(400, 'invalid_request', 'code, redirect_uri and code_verifier are required.');
    }
    return granted(grants.exchangeCode(client.id, code, redirectUri, verifier));
  }
  if (grantType === 'refresh_token') {
    const token = text('refresh_token');
    if (token === undefined) return wrong(400, 'invalid_request', 'refresh_token is required.');
    return granted(grants.refresh(client.id, token, text('scope')?.split(' ').filter(Boolean)));
  }
  return grantType === undefined
    ? wrong(400, 'invalid_request', 'grant_type is required.')
    : wrong(400, 'unsupported_grant_type', 'Only authorization_code and refresh_token are supported.');
}

/** `POST /oauth/revoke`: says nothing about whether there was such a token (RFC 7009 2.2). */
export function answerRevoke(clients: Clients, grants: Grants, request: Request): Answer {
  const client = readClient(clients, request);
  if ('refusal' in client) return client.refusal;
  const token = bodyFields(request)['token'];
  if (typeof token !== 'string' || token === '') return wrong(400, 'invalid_request', 'token is required.');
  const refused = grants.revoke(client.id, token);
  return refused ? json(400, refused) : empty(200, { 'cache-control': 'no-store' });
}

function granted(result: ReturnType<Grants['refresh']>): Answer {
  return json('error' in result ? 400 : 200, result, { pragma: 'no-cache' });
}

function readClient(
  clients: Clients,
  request: Request,
): { readonly id: string } | { readonly refusal: Answer } {
  if (!request.is('application/x-www-form-urlencoded')) {
    return {
      refusal: wrong(400, 'invalid_request', 'The body has to be application/x-www-form-urlencoded.'),
    };
  }
  const form = bodyFields(request);
  if (Object.values(form).some((value) => typeof value !== 'string')) {
    return { refusal: wrong(400, 'invalid_request', 'A parameter is given more than once.') };
  }
  const checked = clients.check(request.headers.authorization, form);
  if ('id' in checked) return checked;
  return {
    refusal:
      checked.error === 'two_methods'
        ? wrong(400, 'invalid_request', 'The client authenticates in two ways at once.')
        : json(
            401,
            { error: 'invalid_client', error_description: 'The client is unknown or its secret is wrong.' },
            { 'www-authenticate': 'Basic realm="sandbox"' },
          ),
  };
}

function wrong(status: number, error: string, error_description: string): Answer {
  return json(status, { error, error_description });
}
