import { destination, pino, type Logger } from 'pino';
import type { Tracing } from './tracing.js';

/** Where the lines of a log go. In a process with several services each can have its own sink. */
export type LogDestination = 'stdout' | 'stderr' | LogSink;

interface LogSink {
  write(line: string): void;
  flush?(): void;
}

/**
 * The log of a process: JSON lines. No bodies and no headers are logged, paths that may contain a secret are
 * redacted, and as a last resort every line is searched for patterns of secrets.
 *
 * Lines are written in batches, after `FLUSH_MS` at the latest; a warning or an error is written at once, with
 * the lines before it, and at exit everything is. A process that is killed loses the last `FLUSH_MS` of lines.
 */
export function createLog(
  level: string,
  to: LogDestination,
  app: string,
  tracing: Pick<Tracing, 'logFields'> | null = null,
): Logger {
  const sink: LogSink = typeof to === 'string' ? openOutput(to) : to;
  return pino(
    {
      level,
      base: { app },
      ...(tracing && { mixin: () => tracing.logFields() ?? {} }),
      redact: {
        paths: [
          '*.authorization',
          '*.cookie',
          '*.token',
          '*.secret',
          '*.password',
          '*.access_token',
          '*.refresh_token',
        ],
        censor: '[secret]',
      },
      serializers: {
        // An error may quote third-party content, which may be ten megabytes.
        err: ({ name, message, stack, code }: Partial<Error> & { code?: unknown }) => ({
          name,
          message: message?.slice(0, MESSAGE_MAX),
          // The stack begins with the message.
          stack: stack?.replace(message ?? '', () => '').slice(0, MESSAGE_MAX),
          code,
        }),
      },
      hooks: {
        streamWrite: scrub,
        logMethod(line, write, severity) {
          write.apply(this, line);
          if (severity >= WARN) sink.flush?.();
        },
      },
    },
    sink,
  );
}

const openOutput = (to: 'stdout' | 'stderr') =>
  destination({
    fd: to === 'stdout' ? 1 : 2,
    sync: false,
    minLength: BATCH_BYTES,
    periodicFlush: FLUSH_MS,
  });

const BATCH_BYTES = 4096;
const FLUSH_MS = 100;
/** pino's number for the level `warn`. */
const WARN = 40;

const MESSAGE_MAX = 4000;

/** Few expressions, because each searches every line. */
const oneOf = (flags: string, patterns: readonly RegExp[]) =>
  new RegExp(patterns.map(({ source }) => source).join('|'), flags);

const SECRETS = [
  oneOf('g', [
    /\bswb_[0-9A-Za-z]{12}[0-9A-Za-z]{43,}/,
    /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/,
    // Shopify and Square use fixed prefixes for tokens and secrets.
    /\b(?:shp[a-z]{2}_|sq0csp-|EAAA)[\w-]{16,}/,
  ]),
  oneOf('gi', [
    /\b(?:Bearer|Basic|DPoP)\s+[\w.~+/=-]{8,}/,
    /\b(?:postgres(?:ql)?|smtps?):\/\/[^\s"@]+@/,
    /\b(?:access_token|refresh_token|client_secret|code_verifier|password)=[^&\s"]+/,
  ]),
];

export const scrub = (line: string): string =>
  SECRETS.reduce((text, pattern) => text.replace(pattern, '[secret]'), line);
