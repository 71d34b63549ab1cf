import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Writable, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ok, refuse, Secret, type Result } from '@switchboard/domain';
import { usageError } from './command-result.js';

interface SecretInput {
  readonly input: Readable & { readonly isTTY?: boolean | undefined };
  readonly output: Writable;
}

/**
 * A secret from a file, or from a prompt at the terminal without echo, or from a pipe. Never from an
 * argument: every program on the machine can read those, and the shell stores them in its history.
 */
export async function promptSecret(
  question: string,
  file: string | undefined,
  signal: AbortSignal,
  streams: SecretInput = { input: process.stdin, output: process.stderr },
): Promise<Result<Secret>> {
  if (file !== undefined) {
    const read = await readFile(file, 'utf8').catch(() => null);
    return read === null ? refuse('request.invalid', `${file} cannot be read.`) : parseSecret(read);
  }
  return parseSecret(
    streams.input.isTTY ? await readTypedSecret(question, signal, streams) : await text(streams.input),
  );
}

function parseSecret(secretText: string): Result<Secret> {
  const secret = secretText.trim();
  return secret === '' ? usageError('No secret was entered. Nothing was changed.') : ok(new Secret(secret));
}

function readTypedSecret(
  question: string,
  signal: AbortSignal,
  { input, output }: SecretInput,
): Promise<string> {
  output.write(question);
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input, output: discard, terminal: true, historySize: 0 });
  return new Promise<string>((resolve) => {
    terminal.once('line', resolve);
    // Ctrl-C and Ctrl-D arrive here as events, not as signals.
    terminal.once('close', () => resolve(''));
    signal.addEventListener('abort', () => terminal.close(), { once: true });
  }).finally(() => {
    terminal.close();
    output.write('\n');
  });
}
