import { etagOf, getWorkspace } from '@switchboard/domain';
import { z } from 'zod';
import { defineOperation } from '../define.js';
import { exampleWorkspace, presentWorkspace, workspaceShape } from './workspace-shape.js';

export default defineOperation({
  name: 'getWorkspace',
  summary: 'Read what the hosted pages show and allow.',
  guidance: 'name is what the operator calls the workspace; the pages show display_name where there is one.',
  scope: 'workspace:admin',
  effect: 'read',
  boundary: 'read',
  surfaces: ['rest'],
  toolset: 'admin',
  http: { method: 'get', path: '/workspace', status: 200 },
  input: z.strictObject({}),
  output: workspaceShape,
  failures: ['workspace.not_found'],
  example: { input: {}, output: exampleWorkspace },
  sentence: ({ id }) => `The workspace ${id}.`,
  etag: etagOf,
  useCase: getWorkspace,
  present: presentWorkspace,
});
