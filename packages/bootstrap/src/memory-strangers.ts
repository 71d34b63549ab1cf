import { senderNetwork, type Strangers } from '@switchboard/domain';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';

const WINDOW_SECONDS = 60;
/** A page brings its images and styles, and people share addresses. */
const PAGES_TIMES = 10;
const KNOWN_MS = 3_600_000;
const KNOWN_MAX = 10_000;

/** Counts what is presented in vain, and who looks at pages, by address, a minute at a time. */
export function memoryStrangers(perMinute: number, elapsedMs: () => number): Strangers {
  const vain = new RateLimiterMemory({ keyPrefix: 'vain', points: perMinute, duration: WINDOW_SECONDS });
  const pages = new RateLimiterMemory({
    keyPrefix: 'pages',
    points: perMinute * PAGES_TIMES,
    duration: WINDOW_SECONDS,
  });
  /** When a key was good here last, by its public id. */
  const known = new Map<string, number>();

  return {
    async mustWait(address, publicId) {
      const heardMs = publicId === null ? undefined : known.get(publicId);
      if (heardMs !== undefined && elapsedMs() - heardMs < KNOWN_MS) return null;
      const counted = await vain.get(senderNetwork(address));
      return counted && counted.consumedPoints >= perMinute ? seconds(counted) : null;
    },
    async turnedAway(address, publicId) {
      if (publicId !== null) known.delete(publicId);
      await vain.penalty(senderNetwork(address));
    },
    welcomed(publicId) {
      known.delete(publicId);
      known.set(publicId, elapsedMs());
      for (const oldest of known.keys()) {
        if (known.size <= KNOWN_MAX) break;
        known.delete(oldest);
      }
    },
    visited: (address) =>
      pages.consume(senderNetwork(address)).then(
        () => null,
        (refused: RateLimiterRes) => seconds(refused),
      ),
  };
}

const seconds = ({ msBeforeNext }: RateLimiterRes): number => Math.max(1, Math.ceil(msBeforeNext / 1000));
