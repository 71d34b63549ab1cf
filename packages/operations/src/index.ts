export type { OperationResponse } from './pipeline/operation-response.js';
export { catalog } from './catalog.js';
export {
  canWait,
  type Confirmation,
  type Question,
  type Operation,
  type SentenceNames,
  type ToolImage,
  type Toolset,
} from './define.js';
export { createDispatcher, type Dispatch, type Envelope, type CallObserver } from './pipeline/dispatch.js';
export { describeIssue, problemsOf } from './pipeline/field-problems.js';
export { parseInput } from './pipeline/parse.js';
export { createErrorResponse } from './pipeline/operation-response.js';
export { rateLimitHeaders } from './pipeline/rate-limit-headers.js';
export { eventShapes, webhookMessageShapes } from './events/event-shape.js';
export { presentClient, presentInvitation } from './keys/client-shape.js';
export { presentKey, presentNewKey } from './keys/key-shape.js';
export { presentPause } from './pauses/pause-shape.js';
export { presentMedia } from './media/media-shape.js';
export { presentWorkspace } from './workspaces/workspace-shape.js';
export { alternatives, inputKinds } from './shapes.js';
export { problemDetailsSchema, statusOfKind, type ProblemDetails } from './pipeline/problem-details.js';
export { components } from './shapes.js';
export { toUnexpectedFailure } from './pipeline/to-unexpected-failure.js';
export {
  describeBearerChallenge,
  describeProtectedResource,
  protectedResourceUrl,
} from './protected-resource.js';
