/**
 * The version whose published description validates requests and responses. Without it, the application's own
 * setting would apply.
 */
export const SQUARE_VERSION = '2025-08-20';
