/** Asynchronous processing of uploads: each is ready after a number of polls, or has failed by then. */
export function uploadProcessing() {
  const runs = new Map<string, { pollsLeft: number; readonly fails: boolean }>();
  let [polls, fails] = [0, false];

  function stateOf(id: string): 'processing' | 'failed' | 'ready' {
    const run = runs.get(id);
    if (run && run.pollsLeft > 0) return 'processing';
    return run?.fails ? 'failed' : 'ready';
  }

  return {
    start: (id: string, isAsynchronous = true) =>
      void runs.set(id, { pollsLeft: isAsynchronous ? polls : 0, fails }),
    stateOf,
    /** Whether it fails, possibly only after some more polls. */
    fails: (id: string) => runs.get(id)?.fails ?? false,
    /** The state before this poll, which advances the processing. */
    poll: (id: string) => {
      const state = stateOf(id);
      const run = runs.get(id);
      if (run) run.pollsLeft--;
      return state;
    },
    /** The number of polls after which uploads are ready from now on. */
    setProcessingPolls: (count: number) => void (polls = count),
    /** Whether processing of uploads fails from now on. */
    setProcessingFails: (does: boolean) => void (fails = does),
  };
}
