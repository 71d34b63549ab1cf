import { etagOf } from '@switchboard/domain';
import { updateWorkspace } from '@switchboard/domain/workspaces';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { exampleWorkspace, presentWorkspace, workspaceFields, workspaceShape } from './workspace-shape.js';

export default defineOperation({
  name: 'updateWorkspace',
  summary: 'Update the branding of the hosted pages, and the settings.',
  guidance:
    'Only fields that are sent change; null clears a field; return_urls and notify_emails are replaced as a whole. The return_url of a connect link must equal an entry of the list. default_timezone applies to profiles created later. Only the operator can change the name.',
  scope: 'workspace:admin',
  effect: 'update',
  boundary: 'atomic',
  http: { method: 'patch', path: '/workspace', status: 200 },
  input: z.strictObject({
    display_name: workspaceFields.display_name.optional(),
    logo_url: workspaceFields.logo_url.optional(),
    accent_color: workspaceFields.accent_color.optional(),
    support_email: workspaceFields.support_email.optional(),
    privacy_url: workspaceFields.privacy_url.optional(),
    return_urls: workspaceFields.return_urls.optional(),
    default_timezone: workspaceFields.default_timezone.optional(),
    notify_emails: workspaceFields.notify_emails.optional(),
  }),
  output: workspaceShape,
  failures: ['workspace.not_found', 'request.precondition_failed', 'request.invalid'],
  example: {
    input: { display_name: 'Lumen Coffee', return_urls: ['https://app.lumen.example/connected'] },
    output: exampleWorkspace,
  },
  sentence: ({ id }) => `Updated the workspace ${id}.`,
  etag: etagOf,
  useCase: updateWorkspace,
  present: presentWorkspace,
});
