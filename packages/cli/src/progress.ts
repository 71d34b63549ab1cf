const WIDTH = 30;

/**
 * Shows the progress of a long operation on stderr: on a terminal as one bar, else as one line for each
 * tenth.
 */
export function progress(what: string, output: Pick<NodeJS.WriteStream, 'write' | 'isTTY'> = process.stderr) {
  let reportedTenths = -1;
  let isDrawn = false;
  return {
    show(done: number, total: number) {
      const share = total === 0 ? 1 : done / total;
      if (output.isTTY) {
        const filled = Math.floor(share * WIDTH);
        output.write(`\r${what} [${'#'.repeat(filled)}${'-'.repeat(WIDTH - filled)}] ${done} of ${total}`);
        isDrawn = true;
        return;
      }
      const reached = Math.floor(share * 10);
      if (reached === reportedTenths) return;
      reportedTenths = reached;
      output.write(`${what} ${done} of ${total}\n`);
    },
    /** Ends the line of the bar. */
    end() {
      if (isDrawn) output.write('\n');
      isDrawn = false;
    },
  };
}
