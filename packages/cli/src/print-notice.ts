/** What a command says on its way: never on stdout, which is its answer's. */
export const printNotice = (line: string): void => void process.stderr.write(`${line}\n`);
