/**
 * The channel on which the database announces the public ID of every key that is changed, revoked or deleted,
 * when that transaction commits. A trigger sends it, so that no code path can omit it
 * (`prisma/beyond-schema.sql`).
 */
export const KEY_CHANGES_CHANNEL = 'switchboard_keys';
