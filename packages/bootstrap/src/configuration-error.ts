/** An invalid or missing setting prevents the service from starting. The message is the line to print. */
export class ConfigurationError extends Error {}
