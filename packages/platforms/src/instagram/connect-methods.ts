import type { ConnectMethod } from '@switchboard/platform-kit';
import { oauthLogin } from '@switchboard/platform-kit/manifest-defaults';
import { accountLogin, facebookLogin } from '../graph/graph-pages.js';

export const permissions = {
  publishing: [
    'instagram_business_basic',
    'instagram_business_content_publish',
    'instagram_business_manage_comments',
  ],
  analytics: ['instagram_business_basic', 'instagram_business_manage_insights'],
};

/** Instagram's own login, at graph.instagram.com. */
export const ownLogin: ConnectMethod = {
  ...oauthLogin('Continue to Instagram', accountLogin('ig', Object.values(permissions).flat())),
  supportsUnpublish: false,
};

const pagePermissions = {
  publishing: [
    ...['pages_show_list', 'pages_read_engagement', 'instagram_basic', 'instagram_content_publish'],
    ...['instagram_manage_comments', 'instagram_manage_contents'],
  ],
  analytics: ['pages_show_list', 'pages_read_engagement', 'instagram_basic', 'instagram_manage_insights'],
};

/** A person's login at Facebook, whose pages have the accounts, at graph.facebook.com. */
export const pageLogin: ConnectMethod = {
  ...oauthLogin(
    'Continue to Facebook, for an account linked to a Page',
    facebookLogin(Object.values(pagePermissions).flat()),
  ),
  id: 'facebook_page',
  appPlatform: 'facebook',
  permissions: pagePermissions,
};
