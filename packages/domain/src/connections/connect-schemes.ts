import type { ConnectMethod } from '../ports/index.js';

/**
 * Every scheme of logging in: the property of a connect method with its facts, null where it has none, and whether the
 * form completes the login, so that the browser is not redirected. Each is implemented in one file of `oauth`.
 */
export const connectSchemes = {
  oauth2: { facts: 'oauth2', endsWithForm: false },
  client_credentials: { facts: 'clientCredentials', endsWithForm: true },
  atproto_oauth: { facts: null, endsWithForm: false },
  atproto_app_password: { facts: null, endsWithForm: true },
  mastodon_oauth: { facts: null, endsWithForm: false },
  key_callback: { facts: 'keyCallback', endsWithForm: false },
  key_form: { facts: 'keyForm', endsWithForm: true },
  password_login: { facts: 'passwordLogin', endsWithForm: true },
} as const;

export const endsWithForm = ({ scheme }: Pick<ConnectMethod, 'scheme'>): boolean =>
  connectSchemes[scheme].endsWithForm;

/** Whether the platform itself posts the granted keys, before the browser returns. */
export const usesKeyCallback = ({ scheme }: Pick<ConnectMethod, 'scheme'>): boolean =>
  scheme === 'key_callback';
