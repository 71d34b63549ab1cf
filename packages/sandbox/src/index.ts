export { startSandbox, type Sandbox } from './sandbox.js';
export { SANDBOX_CLIENT } from './oauth/client.js';
export type { Bearer } from './oauth/grants.js';
export { FAULT_KINDS, type Fault, type FaultKind, type FaultSpec } from './faults.js';
export type { EffectName, LedgerEntry } from './ledger.js';
export { seededRandom, type Random } from './random.js';
export type { LoggedRequest } from './request-log.js';
export type { Settings } from './settings.js';
export type { PlatformName } from './world.js';
