import type { ConnectMethod } from '../ports/index.js';

/** Whether the form completes the login: the browser is not redirected. */
export const endsWithForm = ({ scheme }: Pick<ConnectMethod, 'scheme'>): boolean =>
  scheme === 'atproto_app_password' || scheme === 'key_form' || scheme === 'client_credentials';

/** Whether the platform itself posts the granted keys, before the browser returns. */
export const usesKeyCallback = ({ scheme }: Pick<ConnectMethod, 'scheme'>): boolean =>
  scheme === 'key_callback';
