import { keyLogin, requiredField } from '@switchboard/platform-kit/manifest-defaults';

/** How an account is connected; see “Describe the login” in the guide. */
export const apiKey = keyLogin({
  id: 'api_key',
  label: 'Connect with an API key',
  fields: [requiredField('password', 'api_key', 'API key', 'Create one in your settings.')],
  keyForm: { serverField: null, send: { kind: 'bearer', field: 'api_key' } },
});
