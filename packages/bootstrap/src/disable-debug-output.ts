/**
 * Imported before anything else of a process. Libraries that say what they do when `DEBUG` names them print client secrets,
 * authorization codes and the database's password as they go by; what is ours to say, `LOG_LEVEL` governs.
 */
delete process.env['DEBUG'];

export {};
