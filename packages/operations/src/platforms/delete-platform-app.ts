import { deletePlatformApp } from '@switchboard/domain/platforms';
import { defineOperation } from '../define.js';
import { noContent } from '../shapes.js';
import { appOwnerInput } from './platform-app-shape.js';

export default defineOperation({
  name: 'deletePlatformApp',
  summary: 'Remove the OAuth app of the workspace, or of one profile, at a platform.',
  guidance:
    'From then on, the workspace’s app is used, else the operator’s. What was granted to the deleted app cannot be renewed unless an app with its client id remains: configure it again, or reconnect the accounts.',
  scope: 'workspace:admin',
  effect: 'delete',
  boundary: 'atomic',
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
