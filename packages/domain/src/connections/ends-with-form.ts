import type { ConnectMethod } from '../ports/index.js';

/** Whether the form is all there is to it: the browser goes nowhere else. */
export const endsWithForm = ({ scheme }: Pick<ConnectMethod, 'scheme'>): boolean =>
  scheme === 'atproto_app_password' || scheme === 'key_form' || scheme === 'client_credentials';

/** Whether the platform itself brings what it grants, before the browser comes back. */
export const usesKeyCallback = ({ scheme }: Pick<ConnectMethod, 'scheme'>): boolean =>
  scheme === 'key_callback';
