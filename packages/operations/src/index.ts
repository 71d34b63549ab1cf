export type { Answer } from './answer.js';
export { catalogue } from './catalogue.js';
export {
  canWait,
  defineOperation,
  type CommonCode,
  type Operation,
  type Surface,
  type Toolset,
} from './define.js';
export { dispatcher, type CallRecord, type Dispatch, type Envelope, type Observer } from './dispatch.js';
export { refusal } from './answer.js';
export { rateLimitHeaders } from './rate-limit-headers.js';
export { presentKey, presentNewKey } from './keys/key-shape.js';
export { presentMedia } from './media/media-shape.js';
export { presentWorkspace } from './workspaces/workspace-shape.js';
export { nearest } from './nearest.js';
export { problem, problemSchema, statusOfKind, type WireProblem } from './problem.js';
export { unexpected } from './unexpected.js';
