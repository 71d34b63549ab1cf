/** For a slow connection, and no longer than an attempt may take. */
const BYTES_PER_SECOND = 200_000;
const SECONDS_MAX = 500;

/** The timeout for sending the given number of bytes. */
export const uploadTimeoutSeconds = (bytes: number): number =>
  Math.min(SECONDS_MAX, 60 + Math.ceil(bytes / BYTES_PER_SECOND));
