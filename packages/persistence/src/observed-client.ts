import { AsyncResource } from 'node:async_hooks';
import pg from 'pg';

export interface ObservedStatement {
  /** The SQL, with placeholders for its values. */
  readonly text: string;
  /** By `performance.now()`. */
  readonly startedMs: number;
  /** SQLSTATE, or the name of the error; null when it succeeded. */
  readonly error: string | null;
}

export interface StatementObserver {
  /** Whether the statement that begins now, in this asynchronous context, is of interest. */
  isInterested(): boolean;
  /** Called in the same asynchronous context when it has ended. */
  onEnd(statement: ObservedStatement): void;
}

export function observedClient(observer: StatementObserver): typeof pg.Client {
  class ObservedClient extends pg.Client {
    // The overloads of `query` differ in their results only: everything is passed on as it is.
    override query(...parameters: unknown[]): never {
      const query = super.query.bind(this) as (...parameters: unknown[]) => unknown;
      const text = textOf(parameters[0]);
      if (text === null || !observer.isInterested()) return query(...parameters) as never;
      const startedMs = performance.now();
      const end = (error: unknown) =>
        observer.onEnd({ text, startedMs, error: error ? nameOf(error) : null });
      const callback = parameters.at(-1);
      if (typeof callback === 'function') {
        const observed = AsyncResource.bind((error: unknown, result: unknown) => {
          end(error);
          (callback as (error: unknown, result: unknown) => void)(error, result);
        });
        return query(...parameters.slice(0, -1), observed) as never;
      }
      return (query(...parameters) as Promise<unknown>).then(
        (result) => {
          end(null);
          return result;
        },
        (error: unknown) => {
          end(error);
          throw error;
        },
      ) as never;
    }
  }
  return ObservedClient;
}

/** Null for a stream or a cursor. */
export function textOf(query: unknown): string | null {
  if (typeof query === 'string') return query;
  if (typeof query !== 'object' || query === null || 'submit' in query) return null;
  return 'text' in query && typeof query.text === 'string' ? query.text : null;
}

function nameOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return String(code ?? name);
}

/** Whether it commits a transaction or rolls it back. */
export const endsTransaction = (statement: string | null | undefined): boolean =>
  typeof statement === 'string' && /^\s*(commit|rollback)\b/i.test(statement);
