import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';

const here = path.resolve(import.meta.dirname, '..');

test('a new platform is the template under its own name, and is in the catalog', () => {
  const there = mkdtempSync(path.join(tmpdir(), 'new-platform-'));
  try {
    cpSync(path.join(here, 'scripts'), path.join(there, 'scripts'), { recursive: true });
    cpSync(path.join(here, 'src/template'), path.join(there, 'src/template'), { recursive: true });
    const run = (...args: readonly string[]) =>
      execFileSync(process.execPath, [path.join(there, 'scripts/new-platform.mjs'), ...args], {
        stdio: 'pipe',
      });
    const make = () =>
      run('my_platform', 'My Platform', 'https://api.my-platform.com', 'https://my-platform.com/');
    for (const hosts of [
      [],
      ['https://api.acme.example'],
      ['https://example.com'],
      ['http://a.com'],
      ['api'],
    ])
      expect(() => run('my_platform', 'My Platform', ...hosts)).toThrow('usage');
    make();

    const files = (folder: string) =>
      readdirSync(path.join(there, 'src', folder), { recursive: true }).sort();
    expect(files('my-platform')).toEqual(files('template'));
    const read = (file: string) => readFileSync(path.join(there, 'src', file), 'utf8');
    expect(read('my-platform/manifest.ts')).toContain(`id: 'my_platform',\n  name: 'My Platform',`);
    // Finding 66: the product's catalog contains no made-up host.
    expect(read('my-platform/manifest.ts')).toContain(
      `baseUrl: 'https://api.my-platform.com',\n  authBaseUrl: 'https://my-platform.com',`,
    );
    expect(read('my-platform/manifest.ts')).not.toContain('.example');
    // The facts of a new platform were not verified on the template's date.
    expect(read('my-platform/manifest.ts')).toContain(
      `verifiedOn: '${new Date().toISOString().slice(0, 10)}'`,
    );
    for (const file of ['manifest.ts', 'publishing.ts', 'media.ts', 'NOTES.md']) {
      expect(read(`my-platform/${file}`)).not.toContain('Acme');
    }
    expect(read('catalog.ts')).toContain(`import myPlatform from './my-platform/index.js';`);
    expect(make).toThrow('already exists');
  } finally {
    rmSync(there, { recursive: true });
  }
});
