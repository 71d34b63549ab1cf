import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startProgram } from './program.js';

let folder: string;
let endless: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-program-'));
  endless = join(folder, 'endless.mjs');
  await writeFile(endless, 'setInterval(() => undefined, 1000); console.log("running", process.pid);');
});
afterAll(() => rm(folder, { recursive: true }));

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

async function untilGone(pid: number): Promise<boolean> {
  for (let look = 0; look < 100 && isAlive(pid); look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return !isAlive(pid);
}

test('a program has exited after stop', async () => {
  const polite = startProgram(endless, {});
  await polite.waitForOutput(/running/);
  expect(await polite.stop()).toEqual({ code: null, signal: 'SIGTERM' });
  expect(isAlive(polite.pid)).toBe(false);
});

test('a program exits with its parent, however the parent ends', async () => {
  const program = JSON.stringify(new URL('../../dist/support/program.js', import.meta.url).href);
  const parent = join(folder, 'parent.mjs');
  await writeFile(
    parent,
    `import { startProgram } from ${program};
     const child = startProgram(${JSON.stringify(endless)}, {});
     console.log(await child.waitForOutput(/running \\d+/));
     setInterval(() => undefined, 1000);`,
  );
  const running = spawn(process.execPath, [parent], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [chunk] = (await once(running.stdout, 'data')) as [Buffer];
  const pid = Number(/running (\d+)/.exec(chunk.toString())?.[1]);
  expect(isAlive(pid)).toBe(true);
  running.kill('SIGKILL');
  expect(await untilGone(pid)).toBe(true);
});

test('reports why a program exited before it was ready', async () => {
  const broken = join(folder, 'broken.mjs');
  await writeFile(broken, 'console.error("no such luck"); process.exit(3);');
  const failure = await startProgram(broken, {})
    .waitForOutput(/ready/)
    .catch((error: Error) => error.message);
  expect(failure).toMatch(/exited with 3[^]*no such luck/);
});
