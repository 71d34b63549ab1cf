import { getPlatformApp } from '@switchboard/domain/platforms';
import { defineOperation } from '../define.js';
import { appEtag, appOwnerInput, appShape, exampleApp, presentApp } from './platform-app-shape.js';

export default defineOperation({
  name: 'getPlatformApp',
  summary: 'Read the OAuth app that connects accounts of a platform.',
  guidance:
    'The profile’s app when a profile is given and has one, else the workspace’s, else the operator’s: source names the level. The secret is never returned. An ETag is sent only when the app is stored at the requested level.',
  scope: 'workspace:admin',
  effect: 'read',
  boundary: 'read',
  http: { method: 'get', path: '/platforms/:id/app', status: 200 },
  input: appOwnerInput,
  output: appShape,
  failures: ['platform.not_found', 'platform.app_unsupported', 'profile.not_found', 'platform_app.not_found'],
  example: { input: { id: 'linkedin' }, output: exampleApp },
  sentence: ({ client_id, source }) => `The ${source}’s app ${JSON.stringify(client_id)}.`,
  etag: appEtag,
  useCase: getPlatformApp,
  present: presentApp,
});
