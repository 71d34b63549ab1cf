/**
 * For services in the process of the test: the log of a process flushes its output ten times a second until the
 * process ends, also after the service is closed.
 */
export const discardLog = { write: () => undefined };
