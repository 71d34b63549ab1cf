import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { stopEmbedded } from '@switchboard/bootstrap';
import { freePort } from '@switchboard/persistence/testing';
import { connectSandbox } from './support/connect-sandbox.js';
import { startProgram, type Program } from './support/program.js';

/**
 * Executes every command of the README in order, in one shell, against the service that `pnpm start` starts.
 * Only the ports and the data directory differ: those of the README may be in use.
 */
const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

/** Commands that are not executed, with the reason. */
const NOT_EXECUTED: Readonly<Record<string, string>> = {
  'npx -y pnpm@12 start': 'It installs into this tree. The test runs the script that it starts.',
  'npx -y pnpm@12 test': 'It runs this test.',
};

/** What each command prints, in the order of the README; null: nothing. */
const PRINTED: readonly (readonly [command: string, output: RegExp | null])[] = [
  ['export PATH=', null],
  ['api() {', null],
  ['pick() {', null],
  ['api /me', /"name":"full"/],
  [`api /connect/url -d '{"platform": "sandbox_social"}'`, /^http:\/\/127\.0\.0\.1:\d+\/connect\/\S+$/],
  [`api /connect/url -d '{"platform": "sandbox_store"}'`, /^http:\/\/127\.0\.0\.1:\d+\/connect\/\S+$/],
  ['api /connections', /"platform":"sandbox_store".*"status":"active".*"platform":"sandbox_social"/],
  ['api /social/posts -H', /^http:\/\/127\.0\.0\.1:\d+\/social\/posts\/\S+$/],
  ['TOMORROW=$(node', null],
  ['api /social/posts -d', /^scheduled$/],
  ['curl -sS -o /dev/null http://127.0.0.1:', null],
  ['api /social/analytics', /^[1-9]\d*$/],
  ['api /social/posts/validate', /"final_text":"One"/],
  ['ORDER=$(api', null],
  ['QUOTE=$(api', null],
  [
    'api "/ecommerce/orders/$ORDER/refund"',
    /"status":"succeeded","amount":\{"amount":"5\.00","currency":"EUR"/,
  ],
  ['AGENT=$(api', null],
  ['curl -sS http://127.0.0.1:', /^awaiting_approval$/],
  ["api '/approvals", /^http:\/\/127\.0\.0\.1:\d+\/approvals\/\S+$/],
  ['pnpm --silent switchboard workspaces list', /default/],
  ['pnpm --silent switchboard workspaces update', /^Updated default/],
  ['pnpm --silent switchboard profiles create', /Alder & Oak/],
  ['pnpm --silent switchboard connect', /^http:\/\/127\.0\.0\.1:\d+\/connect\/\S+$/],
  ['pnpm --silent switchboard keys create', /^swb_\w{61}$/m],
  ['pnpm --silent switchboard queue set', /^The profile has 3 posting slots a week\./],
  ['KEY=$(pnpm', null],
  ['(umask 077', null],
  ['pnpm --silent switchboard mcp config', /"SWITCHBOARD_API_KEY_FILE": ".*agent-key"/],
  ['mcp() {', null],
  ['mcp create_post', /^Published/],
  ['ORDER=$(mcp', null],
  ['QUOTE=$(mcp', null],
  ['mcp refund_order', /4\.00 EUR/],
  ['pnpm --silent switchboard keys invite', /^[0-9A-Z]{4}(-[0-9A-Z]{4}){3}$/],
];

let dataDir: string;
let service: Program;
let shell: ShellSession;
let commands: readonly string[];
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'switchboard-readme-'));
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const [port, mcpPort, sandboxPort] = ports.map(String) as [string, string, string];
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: dataDir,
    SWITCHBOARD_DATA_DIR: dataDir,
    PORT: port,
    MCP_PORT: mcpPort,
    SWITCHBOARD_SANDBOX_PORT: sandboxPort,
  };
  const readme = (await readFile(join(REPOSITORY, 'README.md'), 'utf8'))
    .replaceAll('127.0.0.1:3000', `127.0.0.1:${port}`)
    .replaceAll('127.0.0.1:3001', `127.0.0.1:${mcpPort}`)
    .replaceAll('127.0.0.1:3002', `127.0.0.1:${sandboxPort}`)
    .replaceAll('.switchboard/', `${dataDir}/`);
  commands = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => commandsOf(block));
  const { scripts } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8')) as {
    scripts: { start: string };
  };
  // A build would write the files that other tests are loading.
  service = startProgram(join(REPOSITORY, scripts.start.replace('node ', '')), environment, ['--no-build']);
  await service.waitForOutput(/MCP is ready/);
  // The README adds the programs of the repository to the path.
  const path = environment.PATH.split(delimiter).filter((folder) => !folder.endsWith('node_modules/.bin'));
  shell = openShell({ ...environment, PATH: path.join(delimiter) });
});
afterAll(async () => {
  shell?.close();
  await service?.stop();
  await stopEmbedded({ dataDir });
  await rm(dataDir, { recursive: true, force: true });
});

/** The commands of a block without comments; one that continues on the next line is one command. */
const commandsOf = (block: string): readonly string[] =>
  block
    .split(/(?<!\\)\n/)
    .map((command) => command.replace(/ {2,}# .*$/, '').trim())
    .filter((command) => command !== '');

interface ShellSession {
  /** The output of a command on stdout; fails when it exits with an error. */
  run(command: string): Promise<string>;
  close(): void;
}

/** A shell that keeps its variables and functions between the commands, as a terminal does. */
function openShell(env: Readonly<Record<string, string>>): ShellSession {
  const child = spawn('bash', ['--noprofile', '--norc'], { cwd: REPOSITORY, env, stdio: 'pipe' });
  const printed = { stdout: '', stderr: '' };
  let check = () => {};
  let fail = (_reason: Error) => {};
  child.once('exit', (code) => fail(new Error(`The shell exited with ${code}.\n${printed.stderr}`)));
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      printed[name] += chunk;
      check();
    });
  let count = 0;
  return {
    run: (command) =>
      new Promise((resolve, reject) => {
        const end = new RegExp(`\\n?END ${++count} (\\d+)\\n$`);
        Object.assign(printed, { stdout: '', stderr: '' });
        check = () => {
          const code = end.exec(printed.stdout)?.[1];
          if (code === undefined) return;
          const { stdout, stderr } = printed;
          if (code === '0') resolve(stdout.replace(end, '').trim());
          else reject(new Error(`${command}\nexited with ${code}\n${stdout}\n${stderr}`));
        };
        fail = reject;
        child.stdin.write(`{ ${command}\n} </dev/null\nprintf '\\nEND %s %s\\n' ${count} $?\n`);
      }),
    close: () => void child.kill(),
  };
}

test('every command of the README prints what it promises', async () => {
  const skipped = Object.keys(NOT_EXECUTED);
  const executed = commands.filter((command) => !skipped.includes(command));
  expect(commands.filter((command) => skipped.includes(command))).toEqual(skipped);
  expect(executed.map((command, index) => command.startsWith(PRINTED[index]?.[0] ?? command))).toEqual(
    PRINTED.map(() => true),
  );

  const outputs: string[] = [];
  for (const [index, command] of executed.entries()) {
    const output = await shell.run(command);
    outputs.push(output);
    const expected = PRINTED[index]?.[1] ?? /^$/;
    expect([command, output]).toEqual([command, expect.stringMatching(expected)]);
    if (/^http\S+\/connect\//.test(output)) {
      const account = command.includes('sandbox_store') ? 'alder-oak' : 'maren-holt';
      const page = await connectSandbox(output, { account });
      expect(page.text).toContain('Connected');
    }
    if (command.startsWith('api /social/posts -H'))
      expect(await (await fetch(output)).text()).toContain('Hello from Switchboard');
  }

  // "Repeating the last line does not refund again."
  const refund = executed.findIndex((command) => command.startsWith('api "/ecommerce/orders/$ORDER/refund"'));
  expect(refund).toBeGreaterThan(0);
  const { id } = JSON.parse(outputs[refund] ?? '{}') as { id: string };
  expect((await shell.run('api "/ecommerce/refunds"')).split(id)).toHaveLength(2);
});
