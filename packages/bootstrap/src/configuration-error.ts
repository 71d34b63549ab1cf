/** Something that the operator set, or did not set, keeps the service from starting. The message is the one line to print. */
export class ConfigurationError extends Error {}
