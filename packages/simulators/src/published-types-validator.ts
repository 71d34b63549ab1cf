import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

export type TypedValue = readonly [type: string, value: unknown];

/**
 * For platforms that publish types instead of a description: returns the type errors of a program that assigns every
 * value to its type. `packages` is the `node_modules` folder with the compiler and the types.
 */
export const publishedTypesValidator =
  (packages: string, imports: readonly string[]) =>
  (values: readonly TypedValue[]): readonly string[] => {
    const folder = mkdtempSync(path.join(tmpdir(), 'published-types-'));
    const program = [
      ...imports,
      ...values.map(([type, value], at) => `export const v${at}: ${type} = ${JSON.stringify(value)};`),
    ].join('\n');
    const compilerOptions = {
      strict: true,
      noEmit: true,
      types: [],
      lib: ['es2023'],
      skipLibCheck: true,
      module: 'esnext',
      moduleResolution: 'bundler',
      paths: { '@googleapis/*': [path.join(packages, '@googleapis/*')] },
    };
    try {
      writeFileSync(path.join(folder, 'judged.ts'), program);
      writeFileSync(
        path.join(folder, 'tsconfig.json'),
        JSON.stringify({ compilerOptions, files: ['judged.ts'] }),
      );
      const tsc = path.join(packages, 'typescript/bin/tsc');
      const run = spawnSync(process.execPath, [tsc, '--pretty', 'false'], { cwd: folder, encoding: 'utf8' });
      const errors = run.stdout.split('\n').filter((line) => /^\S.*: error TS/.test(line));
      if (run.status !== 0 && errors.length === 0) throw new Error(`tsc failed: ${run.stdout}${run.stderr}`);
      return errors;
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
