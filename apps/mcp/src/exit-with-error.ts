/** Exits the process with one line that gives the reason. */
export function exitWithError(reason: string): never {
  process.stderr.write(`switchboard-mcp: ${reason}\n`);
  process.exit(1);
}
