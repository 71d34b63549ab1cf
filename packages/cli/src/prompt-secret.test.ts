import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { promptSecret } from './prompt-secret.js';

/** A terminal from the view of a program: in raw mode it does not echo. */
function terminal() {
  const modes: boolean[] = [];
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (on: boolean) => void modes.push(on),
  });
  const output = new PassThrough();
  return { input, output, modes, shown: () => String(output.read() ?? '') };
}
const never = new AbortController().signal;

test('input at a terminal is not echoed, also when it is corrected', async () => {
  const streams = terminal();
  const asked = promptSecret('Secret: ', undefined, never, streams);
  expect(streams.modes).toEqual([true]);
  for (const key of ['h', 'u', 'n', 't', 'x', '\x7f', 'e', 'r', '\r']) streams.input.write(key);
  const secret = await asked;
  expect(secret.ok && secret.value.reveal()).toBe('hunter');
  expect(streams.shown()).toBe('Secret: \n');
  expect(streams.modes.at(-1)).toBe(false);
});

test.each([
  ['Ctrl-C', '\x03'],
  ['Ctrl-D', '\x04'],
  ['an empty line', '\r'],
])('%s at the prompt enters no secret', async (_name, key) => {
  const streams = terminal();
  const asked = promptSecret('Secret: ', undefined, never, streams);
  streams.input.write(key);
  expect(await asked).toMatchObject({ ok: false, failure: { code: 'request.invalid' } });
  expect(streams.modes.at(-1)).toBe(false);
});
