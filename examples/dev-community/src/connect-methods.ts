import { keyLogin, requiredField } from '@switchboard/platform-kit/manifest-defaults';

const send = { kind: 'header', name: 'api-key', field: 'api_key' } as const;
const field = requiredField(
  'password',
  'api_key',
  'API key',
  'Settings, Extensions, DEV Community API Keys.',
);

export const apiKey = keyLogin({
  id: 'api_key',
  label: 'Connect with an API key',
  fields: [field],
  keyForm: { serverField: null, send },
});

export const otherForem = keyLogin({
  id: 'forem',
  label: 'Connect to another Forem',
  fields: [
    requiredField('instance', 'server', 'Server', 'The server of your community.', 'community.example'),
    field,
  ],
  keyForm: { serverField: 'server', send },
});
