/** Ends the process with one line that says why. */
export function exitWithError(reason: string): never {
  process.stderr.write(`switchboard-mcp: ${reason}\n`);
  process.exit(1);
}
