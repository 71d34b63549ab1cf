/** The version whose published description judges what we send and read. Without it, the application's own setting would decide. */
export const SQUARE_VERSION = '2025-08-20';
