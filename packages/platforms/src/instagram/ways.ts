import type { ConnectWay, Manifest } from '@switchboard/domain';
import { BUSINESSES } from '../kit/graph-pages.js';

const wanted = (permissions: Manifest['permissions']) => [...new Set(Object.values(permissions).flat())];
const tokenErrors = { ended: ['190'], app: ['1', '101'] };

export const permissions = {
  publishing: [
    'instagram_business_basic',
    'instagram_business_content_publish',
    'instagram_business_manage_comments',
  ],
  analytics: ['instagram_business_basic', 'instagram_business_manage_insights'],
};

/** Instagram's own login, at graph.instagram.com. */
export const ownLogin: ConnectWay = {
  id: 'oauth',
  scheme: 'oauth2',
  label: 'Continue to Instagram',
  fields: [],
  needsApp: true,
  unpublishes: false,
  oauth2: {
    authorizePath: '/oauth/authorize',
    tokenPath: '/oauth/access_token',
    revokePath: null,
    permissions: wanted(permissions),
    permissionSeparator: ',',
    pkce: false,
    clientAuth: 'body',
    issuerPath: null,
    longLived: {
      path: '/access_token',
      grantType: 'ig_exchange_token',
      tokenParameter: 'access_token',
      app: ['secret'],
    },
    renewal: {
      path: '/refresh_access_token',
      grantType: 'ig_refresh_token',
      tokenParameter: 'access_token',
      app: [],
    },
    tokenErrors,
  },
};

const ofPages = {
  publishing: [
    ...['pages_show_list', 'pages_read_engagement', 'instagram_basic', 'instagram_content_publish'],
    ...['instagram_manage_comments', 'instagram_manage_contents'],
  ],
  analytics: ['pages_show_list', 'pages_read_engagement', 'instagram_basic', 'instagram_manage_insights'],
};

/** The login of a person at Facebook, whose pages have the accounts, at graph.facebook.com. */
export const pageLogin: ConnectWay = {
  id: 'facebook_page',
  scheme: 'oauth2',
  label: 'Continue to Facebook, for an account that a Page has',
  fields: [],
  needsApp: true,
  through: 'facebook',
  permissions: ofPages,
  oauth2: {
    authorizePath: '/{api_version}/dialog/oauth',
    tokenPath: '/{api_version}/oauth/access_token',
    // What can be taken back is all that a person granted: it would end the logins of her other pages.
    revokePath: null,
    permissions: [...wanted(ofPages), BUSINESSES],
    permissionSeparator: ',',
    pkce: false,
    clientAuth: 'body',
    issuerPath: null,
    // What was declined before is asked for again.
    authorizeParams: { auth_type: 'rerequest' },
    longLived: {
      path: '/{api_version}/oauth/access_token',
      grantType: 'fb_exchange_token',
      tokenParameter: 'fb_exchange_token',
      app: ['id', 'secret'],
    },
    tokenErrors,
  },
};
