/**
 * The channel on which the database itself tells the public id of every key that is changed, revoked or deleted, when the
 * transaction that did so commits: by a trigger, so that no way of doing it can forget to (`prisma/beyond-schema.sql`).
 */
export const KEY_CHANGES_CHANNEL = 'switchboard_keys';
