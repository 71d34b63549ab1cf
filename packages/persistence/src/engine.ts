/** Prisma's schema engine in this process: WebAssembly on top of the driver adapter, no native binary. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';

/** Not in lib.es2024 and not in @types/node; lib.dom would bring `window` along. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>;
  instantiate(module: object, imports: object): Promise<{ exports: Record<string, unknown> }>;
};

interface MigrationEngine {
  applyMigrations(input: unknown): Promise<{ appliedMigrationNames: string[] }>;
  diff(input: unknown): Promise<{ exitCode: number; stdout: string | null }>;
  free(): void;
}

interface EngineBindings {
  __wbg_set_wasm(exports: unknown): void;
  SchemaEngine: {
    new: (options: unknown, log: (line: string) => void, adapter: unknown) => Promise<MigrationEngine>;
  };
}

/** Once per process: the bindings keep views on the memory of the first instance. */
let bindings: Promise<EngineBindings> | undefined;
const loadBindings = () => (bindings ??= instantiate());

async function instantiate(): Promise<EngineBindings> {
  let panic = '';
  // The engine's panic hook reports here; without it a panic surfaces as an unrelated TypeError.
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: { set_message: (text: string) => (panic = text), get: () => panic },
  });
  const wasmBindings =
    (await import('@prisma/schema-engine-wasm/schema_engine_bg')) as unknown as EngineBindings;
  const wasm = createRequire(import.meta.url)
    .resolve('@prisma/schema-engine-wasm')
    .replace(/schema_engine\.js$/, 'schema_engine_bg.wasm');
  const module = await WebAssembly.compile(await readFile(wasm));
  const imports = { './schema_engine_bg.js': { ...wasmBindings, ...unrefTimers(wasmBindings) } };
  const instance = await WebAssembly.instantiate(module, imports);
  wasmBindings.__wbg_set_wasm(instance.exports);
  (instance.exports['__wbindgen_start'] as () => void)();
  return wasmBindings;
}

/**
 * The engine times its advisory lock with a timer that it never clears, which would keep the process alive
 * for 10 s.
 */
function unrefTimers(glue: object): Record<string, unknown> {
  const names = Object.keys(glue).filter((name) => name.startsWith('__wbg_setTimeout_'));
  const setUnrefTimeout = (callback: () => void, milliseconds: number) =>
    setTimeout(callback, milliseconds >>> 0).unref();
  return Object.fromEntries(names.map((name) => [name, setUnrefTimeout]));
}

/**
 * PrismaPg 7.10 splits a script at every semicolon, including those in function bodies and comments.
 * PostgreSQL accepts the whole script.
 */
class WholeScriptAdapterFactory extends PrismaPg {
  override async connect() {
    const adapter = await super.connect();
    adapter.executeScript = async (sql) => {
      await adapter.executeRaw({ sql, args: [], argTypes: [] });
    };
    return adapter;
  }
}

/** Lends an engine to `use`. The engine never closes its adapter's pool, so this function ends it. */
export async function withEngine<T>(
  url: string,
  schema: string,
  use: (engine: MigrationEngine) => Promise<T>,
): Promise<T> {
  const { SchemaEngine } = await loadBindings();
  // Never `connectionString`: it wins over the `database` that PrismaPg sets for its shadow database, which
  // would then be the real one.
  const pool = new pg.Pool({ ...parseIntoClientConfig(url), max: 2 });
  pool.on('error', () => undefined);
  try {
    const engine = await SchemaEngine.new(
      { datamodels: [['schema.prisma', schema]] },
      () => undefined,
      bindMigrationAwareSqlAdapterFactory(new WholeScriptAdapterFactory(pool)),
    );
    try {
      return await use(engine);
    } finally {
      engine.free();
    }
  } finally {
    await pool.end();
  }
}
