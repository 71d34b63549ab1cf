import { grantableScopes } from '@switchboard/domain/clients';

/** What the library says about OpenID Connect, which this server does not offer. */
const OPENID_MEMBERS = [
  'acr_values_supported',
  'claim_types_supported',
  'claims_parameter_supported',
  'claims_supported',
  'id_token_signing_alg_values_supported',
  'jwks_uri',
  'request_uri_parameter_supported',
  'subject_types_supported',
];

/** Reduces the document to the metadata of an OAuth authorization server (RFC 8414). */
export function pruneServerMetadata(document: Record<string, unknown>): void {
  for (const member of OPENID_MEMBERS) delete document[member];
  document['scopes_supported'] = grantableScopes;
  document['response_modes_supported'] = ['query'];
  document['grant_types_supported'] = ['authorization_code', 'refresh_token'];
}
