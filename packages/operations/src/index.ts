export type { OperationResponse } from './operation-response.js';
export { catalog } from './catalog.js';
export {
  canWait,
  defineOperation,
  type CommonCode,
  type Operation,
  type Surface,
  type Toolset,
} from './define.js';
export {
  createDispatcher,
  type CallRecord,
  type Dispatch,
  type Envelope,
  type CallObserver,
} from './dispatch.js';
export { createErrorResponse } from './operation-response.js';
export { rateLimitHeaders } from './rate-limit-headers.js';
export { presentKey, presentNewKey } from './keys/key-shape.js';
export { presentMedia } from './media/media-shape.js';
export { presentWorkspace } from './workspaces/workspace-shape.js';
export { findClosestName } from './find-closest-name.js';
export {
  toProblemDetails,
  problemDetailsSchema,
  statusOfKind,
  type ProblemDetails,
} from './problem-details.js';
export { toUnexpectedFailure } from './to-unexpected-failure.js';
