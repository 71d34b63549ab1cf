import { destination, pino, type Logger } from 'pino';

/**
 * The log of a process: JSON lines. Nothing is logged wholesale (no bodies, no headers), paths that could hold a secret are
 * redacted, and as the last resort every line is searched for what looks like one.
 */
export const createLog = (level: string, to: 'stdout' | 'stderr', app: string): Logger =>
  pino(
    {
      level,
      base: { app },
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
        // An error may quote what somebody else sent, and that may be ten megabytes.
        err: ({ name, message, stack, code }: Partial<Error> & { code?: unknown }) => ({
          name,
          message: message?.slice(0, MESSAGE_MAX),
          // It begins with the message.
          stack: stack?.replace(message ?? '', () => '').slice(0, MESSAGE_MAX),
          code,
        }),
      },
      hooks: { streamWrite: scrub },
    },
    // What is said while a line is being written goes out with the next one; at the end of the process everything does.
    destination({ fd: to === 'stdout' ? 1 : 2, sync: false }),
  );

const MESSAGE_MAX = 4000;

const SECRETS = [
  /\bswb_[0-9A-Za-z]{12}[0-9A-Za-z]{43,}/g,
  /\b(Bearer|Basic|DPoP)\s+[\w.~+/=-]{8,}/gi,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  // Of Shopify and Square, which begin their tokens and secrets always alike.
  /\b(?:shp[a-z]{2}_|sq0csp-|EAAA)[\w-]{16,}/g,
  /\bpostgres(?:ql)?:\/\/[^\s"@]+@/g,
  /\b(access_token|refresh_token|client_secret|code_verifier|password)=[^&\s"]+/gi,
];

export const scrub = (line: string): string =>
  SECRETS.reduce((text, pattern) => text.replace(pattern, '[secret]'), line);
