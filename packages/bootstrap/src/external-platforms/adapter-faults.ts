import type { CountedFault } from '@switchboard/domain/ports';
import type { AdapterFault } from './isolate-platform.js';

/** The faults of external adapters since this process started, counted by platform, method and kind. */
export function adapterFaults(now: () => Date) {
  const faults = new Map<string, CountedFault>();
  return {
    add({ platform, method, kind, message }: AdapterFault) {
      const key = `${platform} ${method} ${kind}`;
      const count = (faults.get(key)?.count ?? 0) + 1;
      faults.set(key, { platform, method, kind, message, count, lastAt: now().toISOString() });
    },
    list: (): readonly CountedFault[] => [...faults.values()],
  };
}
