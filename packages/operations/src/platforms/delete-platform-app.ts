import { deletePlatformApp } from '@switchboard/domain';
import { defineOperation } from '../define.js';
import { noContent } from '../shapes.js';
import { appOwnerInput } from './platform-app-shape.js';

export default defineOperation({
  name: 'deletePlatformApp',
  summary: 'Remove the OAuth app of the workspace, or of one profile, at a platform.',
  guidance:
    'What stands behind it serves from then on: the workspace’s app, or the operator’s. Accounts that were connected with it cannot be renewed any more, unless an app with its client id is set up elsewhere: set it again, or connect them again.',
  scope: 'workspace:admin',
  effect: 'delete',
  boundary: 'atomic',
  surfaces: ['rest'],
  toolset: 'admin',
  http: { method: 'delete', path: '/platforms/:id/app', status: 204 },
  input: appOwnerInput,
  output: noContent,
  failures: [
    'platform.not_found',
    'platform.app_unsupported',
    'profile.not_found',
    'platform_app.not_found',
    'request.precondition_failed',
  ],
  example: { input: { id: 'linkedin' }, output: {} },
  sentence: () => 'Removed the app.',
  writesOwnAuditRow: true,
  useCase: deletePlatformApp,
  present: () => ({}),
});
