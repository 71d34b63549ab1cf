import { setFlagsFromString } from 'node:v8';

/** V8 optimizes a function of WebAssembly after this many bytes of executed code. */
const DEFAULT_BUDGET = 13_000_000;
const BUDGET = 100_000_000;

/**
 * Creates a module of WebAssembly whose functions V8 optimizes later. Prisma's generated client calls it for the query
 * compiler (`scripts/prisma-generate.mjs`), which reads the schema and plans the first queries, and is then rarely
 * used, because plans are cached: to optimize it costs a short process more than the compiler itself.
 *
 * The flag is restored because V8 rejects the cached code of a program (`scripts/one-file.mjs`) under another one.
 */
export function deferOptimization<Module>(createModule: () => Module): Module {
  setFlagsFromString(`--wasm-tiering-budget=${BUDGET}`);
  try {
    return createModule();
  } finally {
    setFlagsFromString(`--wasm-tiering-budget=${DEFAULT_BUDGET}`);
  }
}
