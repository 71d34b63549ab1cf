/** For a slow line, and no longer than an attempt may take. */
const BYTES_PER_SECOND = 200_000;
const SECONDS_MAX = 500;

/** How long sending so many bytes may take. */
export const uploadTimeoutSeconds = (bytes: number): number =>
  Math.min(SECONDS_MAX, 60 + Math.ceil(bytes / BYTES_PER_SECOND));
