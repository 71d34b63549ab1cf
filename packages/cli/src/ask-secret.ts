import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Writable, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ok, refuse, Secret, type Result } from '@switchboard/domain';
import { misused } from './outcome.js';

export interface Seat {
  readonly input: Readable & { readonly isTTY?: boolean | undefined };
  readonly output: Writable;
}

/**
 * A secret from a file, or from whoever sits at the terminal, where nothing of it is shown, or else from a pipe. Never from an
 * argument: every program on the machine can read those, and the shell keeps them.
 */
export async function askSecret(
  question: string,
  file: string | undefined,
  signal: AbortSignal,
  seat: Seat = { input: process.stdin, output: process.stderr },
): Promise<Result<Secret>> {
  if (file !== undefined) {
    const read = await readFile(file, 'utf8').catch(() => null);
    return read === null ? refuse('request.invalid', `${file} cannot be read.`) : secretIn(read);
  }
  return secretIn(seat.input.isTTY ? await typed(question, signal, seat) : await text(seat.input));
}

function secretIn(given: string): Result<Secret> {
  const secret = given.trim();
  return secret === '' ? misused('No secret was given. Nothing was changed.') : ok(new Secret(secret));
}

function typed(question: string, signal: AbortSignal, { input, output }: Seat): Promise<string> {
  output.write(question);
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input, output: nowhere, terminal: true, historySize: 0 });
  return new Promise<string>((resolve) => {
    terminal.once('line', resolve);
    // Ctrl-C and Ctrl-D come here, not as signals.
    terminal.once('close', () => resolve(''));
    signal.addEventListener('abort', () => terminal.close(), { once: true });
  }).finally(() => {
    terminal.close();
    output.write('\n');
  });
}
