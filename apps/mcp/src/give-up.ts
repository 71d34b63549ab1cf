/** Ends the process with one line that says why. */
export function giveUp(why: string): never {
  process.stderr.write(`switchboard-mcp: ${why}\n`);
  process.exit(1);
}
