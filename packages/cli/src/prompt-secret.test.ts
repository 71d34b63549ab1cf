import { PassThrough } from 'node:stream';
import { expect, test } from '@jest/globals';
import { promptSecret } from './prompt-secret.js';

/** A terminal as far as a program sees it: in raw mode it shows nothing by itself. */
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

test('what is typed at a terminal is shown nowhere, also where it is corrected', async () => {
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
])('%s at the question gives no secret', async (_name, key) => {
  const streams = terminal();
  const asked = promptSecret('Secret: ', undefined, never, streams);
  streams.input.write(key);
  expect(await asked).toMatchObject({ ok: false, failure: { code: 'request.invalid' } });
  expect(streams.modes.at(-1)).toBe(false);
});
