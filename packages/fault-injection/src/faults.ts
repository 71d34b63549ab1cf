/** Every kind of fault. `before` and `after` refer to the effect, which the caller cannot observe. */
export const FAULT_KINDS = [
  'delay',
  'delay-after-effect',
  'hang',
  'hang-after-effect',
  'reset-before-effect',
  'reset-after-effect',
  '500-before',
  '500-after',
  '2xx-truncated',
  '2xx-no-id',
  '429',
  '403',
  'garbage',
  'slow-drip',
  'huge',
  'redirect',
  'strange-words',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** The kinds of fault that keep the request from being processed. */
export const WITHOUT_EFFECT: readonly FaultKind[] = [
  ...(['hang', 'reset-before-effect', '500-before', '429', '403', 'redirect'] as const),
];

/** Named as on the wire of the sandbox's control API. */
export interface FaultSpec {
  readonly kind: FaultKind;
  readonly match?:
    | {
        readonly method?: string | undefined;
        readonly path_prefix?: string | undefined;
        /** A text that the body contains anywhere; file contents are not searched. */
        readonly body?: string | undefined;
      }
    | undefined;
  /** The number of requests that it applies to, by default one; `null` until cleared. */
  readonly times?: number | null | undefined;
  /** The number of matching requests to skip first. */
  readonly after?: number | undefined;
  readonly delay_ms?: number | undefined;
  readonly retry_after?: number | undefined;
  readonly status?: number | undefined;
  readonly location?: string | undefined;
  readonly words?: string | undefined;
}

/** A fault that still applies. */
export type EnabledFault<Spec extends FaultSpec> = Omit<Spec, 'times' | 'after'> & {
  readonly id: string;
  readonly remaining: number | null;
  readonly after: number;
};

export interface Faults<Spec extends FaultSpec = FaultSpec, Target = never> {
  add(spec: Spec): EnabledFault<Spec>;
  /** The faults that still apply, oldest first. */
  list(): readonly EnabledFault<Spec>[];
  /** Removes all faults, or the one with this ID; returns whether there was any. */
  clear(id?: string): boolean;
  /** Returns the oldest fault that applies to this request, and consumes one use of it. */
  take(target: Target): EnabledFault<Spec> | undefined;
}

/** The faults of one server, which itself determines whether a fault is meant for a request. */
export function createFaults<Spec extends FaultSpec, Target>(
  isMeant: (fault: EnabledFault<Spec>, target: Target) => boolean,
): Faults<Spec, Target> {
  let faults: EnabledFault<Spec>[] = [];
  let created = 0;
  const replace = (fault: EnabledFault<Spec>, next: EnabledFault<Spec>) => {
    faults = faults.map((known) => (known === fault ? next : known)).filter((known) => known.remaining !== 0);
  };
  return {
    add({ times = 1, after = 0, ...spec }) {
      const fault = { ...spec, id: `flt_${++created}`, remaining: times, after };
      faults = [...faults, fault];
      return fault;
    },
    list: () => faults,
    clear(id) {
      const kept = id === undefined ? [] : faults.filter((fault) => fault.id !== id);
      const isFound = kept.length < faults.length;
      faults = kept;
      return isFound;
    },
    take(target) {
      for (const fault of faults.filter((known) => isMeant(known, target))) {
        if (fault.after === 0) {
          replace(fault, { ...fault, remaining: fault.remaining === null ? null : fault.remaining - 1 });
          return fault;
        }
        replace(fault, { ...fault, after: fault.after - 1 });
      }
      return undefined;
    },
  };
}
