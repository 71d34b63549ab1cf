import { expect, test } from '@jest/globals';
import type { ConnectSession } from '@switchboard/domain/connections';
import type { Manifest } from '@switchboard/domain/ports';
import { csrfOf, isCsrf } from './browser-cookie.js';
import { readFieldValues } from './connect-forms.js';
import { formTargets } from './form-targets.js';
import { uniqueParameters } from './read-form.js';
import { buildReturnUrl } from './build-return-url.js';

const connectMethod = (scheme: Manifest['connect'][0]['scheme']): Manifest['connect'][0] => ({
  id: scheme,
  scheme,
  label: 'Continue',
  needsApp: false,
  fields: [
    { name: 'handle', label: 'Handle', hint: '', kind: 'text', required: true, placeholder: '' },
    { name: 'password', label: 'Password', hint: '', kind: 'password', required: true, placeholder: '' },
  ],
});
type Scheme = Manifest['connect'][0]['scheme'];
const platform = (authBaseUrl: string | null, scheme: Scheme, consentBaseUrl?: string) => {
  const home = { id: 'some', authBaseUrl, consentBaseUrl } as unknown as Manifest;
  return { connectMethods: [connectMethod(scheme)] as const, appPlatforms: new Map([[scheme, home]]) };
};

test('in production a form may submit to the consent pages and the return address of its session, and nowhere else', () => {
  const config = { mode: 'production', platforms: {} } as const;
  const platforms = [
    platform('https://one.example/auth', 'oauth2'),
    platform('https://two.example', 'oauth2'),
    platform(null, 'atproto_app_password'),
  ];
  expect(formTargets(config, { returnUrl: 'https://app.example/done?x=1' }, platforms)).toEqual([
    'https://one.example',
    'https://two.example',
    'https://app.example',
  ]);
  expect(formTargets(config, { returnUrl: null }, [platform(null, 'atproto_oauth')])).toEqual(['https:']);
});

test('a form may submit to the consent page, whose origin can differ from that of the token endpoint', () => {
  const config = { mode: 'production', platforms: {} } as const;
  const elsewhere = platform('https://api.example', 'oauth2', 'https://www.example/i');
  expect(formTargets(config, { returnUrl: null }, [elsewhere])).toEqual(['https://www.example']);
});

test('a form may submit to the consent page of each connect method, also when that is another platform', () => {
  const config = { mode: 'production', platforms: {} } as const;
  const [own, other] = [
    platform('https://own.example', 'oauth2'),
    platform('https://other.example', 'oauth2'),
  ];
  const page = { ...connectMethod('oauth2'), id: 'page', appPlatform: 'other' };
  const appPlatforms = new Map([
    ...own.appPlatforms,
    ...[...other.appPlatforms.values()].map((home) => ['page', home] as const),
  ]);
  expect(
    formTargets(config, { returnUrl: null }, [
      { connectMethods: [connectMethod('oauth2'), page], appPlatforms },
    ]),
  ).toEqual(['https://own.example', 'https://other.example']);
});

test('an operator’s own origin replaces the platform’s', () => {
  const own = {
    clientId: null,
    clientSecret: null,
    baseUrl: null,
    authBaseUrl: 'https://proxy.example',
    uploadBaseUrl: null,
    analyticsBaseUrl: null,
    otherBaseUrls: {},
    apiVersion: null,
    userAgent: null,
  };
  const config = { mode: 'production', platforms: { some: own } } as const;
  expect(formTargets(config, { returnUrl: null }, [platform('https://one.example', 'oauth2')])).toEqual([
    'https://proxy.example',
  ]);
});

test('a CSRF token is invalid in another browser and for another link', () => {
  const proof = csrfOf('browser', 'token');
  expect(isCsrf(proof, 'browser', 'token')).toBe(true);
  for (const given of [null, '', `${proof}x`, csrfOf('other', 'token'), csrfOf('browser', 'other')]) {
    expect(isCsrf(given, 'browser', 'token')).toBe(false);
  }
});

test('reads the values of the connect method, without characters that were pasted along', () => {
  const fields = new Map([
    ['handle', ' \u202aada.example\u202c\n'],
    ['password', ' as typed '],
    ['other', 'x'],
  ]);
  expect(readFieldValues(connectMethod('atproto_app_password'), fields)).toEqual({
    handle: 'ada.example',
    password: ' as typed ',
  });
});

test('rejects repeated parameters', () => {
  expect(uniqueParameters(new URLSearchParams('a=1&b=2')).ok).toBe(true);
  expect(uniqueParameters(new URLSearchParams('a=1&a=1')).ok).toBe(false);
});

test('the return address keeps its own query, which cannot be overridden', () => {
  const session = {
    id: 'cns_1',
    status: 'failed',
    returnUrl: 'https://app.example/done?kept=1&status=connected',
    connectionIds: [],
    error: { code: 'denied', message: 'x' },
  } as unknown as ConnectSession;
  expect(buildReturnUrl(session)).toBe(
    'https://app.example/done?kept=1&status=failed&session_id=cns_1&error=denied',
  );
  expect(buildReturnUrl({ ...session, status: 'pending' })).toBeNull();
  expect(buildReturnUrl({ ...session, returnUrl: null })).toBeNull();
});
