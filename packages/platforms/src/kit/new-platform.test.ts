import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@jest/globals';

const here = path.resolve(import.meta.dirname, '../..');

test('a new platform is the template under its own name, and in the catalogue', () => {
  const there = mkdtempSync(path.join(tmpdir(), 'new-platform-'));
  try {
    cpSync(path.join(here, 'scripts'), path.join(there, 'scripts'), { recursive: true });
    cpSync(path.join(here, 'src/template'), path.join(there, 'src/template'), { recursive: true });
    const make = () =>
      execFileSync(
        process.execPath,
        [path.join(there, 'scripts/new-platform.mjs'), 'my_platform', 'My Platform'],
        { stdio: 'pipe' },
      );
    make();

    const files = (folder: string) =>
      readdirSync(path.join(there, 'src', folder), { recursive: true }).sort();
    expect(files('my-platform')).toEqual(files('template'));
    const read = (file: string) => readFileSync(path.join(there, 'src', file), 'utf8');
    expect(read('my-platform/manifest.ts')).toContain(`id: 'my_platform',\n  name: 'My Platform',`);
    for (const file of ['manifest.ts', 'publishing.ts', 'media.ts', 'NOTES.md']) {
      expect(read(`my-platform/${file}`)).not.toContain('Acme');
    }
    expect(read('catalogue.ts')).toContain(`import myPlatform from './my-platform/index.js';`);
    expect(make).toThrow('is there already');
  } finally {
    rmSync(there, { recursive: true });
  }
});
