import { expect, test } from '@jest/globals';
import { progress } from './progress.js';

const output = (isTTY: boolean) => {
  const written: string[] = [];
  return { written, isTTY, write: (text: string) => written.push(text) > 0 };
};

test('is one bar on a terminal, with a final newline', () => {
  const terminal = output(true);
  const bar = progress('Data keys', terminal);
  bar.show(0, 4);
  bar.show(2, 4);
  bar.show(4, 4);
  bar.end();
  expect(terminal.written).toEqual([
    `\rData keys [${'-'.repeat(30)}] 0 of 4`,
    `\rData keys [${'#'.repeat(15)}${'-'.repeat(15)}] 2 of 4`,
    `\rData keys [${'#'.repeat(30)}] 4 of 4`,
    '\n',
  ]);
});

test('is a line for every tenth elsewhere', () => {
  const file = output(false);
  const lines = progress('Data keys', file);
  for (let done = 0; done <= 1000; done++) lines.show(done, 1000);
  lines.end();
  expect(file.written).toHaveLength(11);
  expect(file.written[3]).toBe('Data keys 300 of 1000\n');
});

test('is complete for a total of zero', () => {
  const file = output(false);
  progress('Data keys', file).show(0, 0);
  expect(file.written).toEqual(['Data keys 0 of 0\n']);
});
