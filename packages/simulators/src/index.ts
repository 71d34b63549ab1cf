export { startSandbox, type Sandbox, type SandboxOptions } from './sandbox.js';
export { SANDBOX_CLIENT } from './oauth/client.js';
export { FAULT_KINDS, type Fault, type FaultKind, type FaultOrder } from './faults.js';
export type { EffectName, LedgerEntry, LedgerFilter } from './ledger.js';
export type { LoggedRequest } from './request-log.js';
export type { Control } from './control/control.js';
export type { Settings } from './settings.js';
export type { PlatformName } from './world.js';
