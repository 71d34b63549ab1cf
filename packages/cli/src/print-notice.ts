/** A message while a command runs: never on stdout, which carries the result. */
export const printNotice = (line: string): void => void process.stderr.write(`${line}\n`);
