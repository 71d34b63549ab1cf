/**
 * Imported before every other module of a process. Libraries that `DEBUG` enables print client secrets,
 * authorization codes and the database password; `LOG_LEVEL` controls our own output.
 */
delete process.env['DEBUG'];

export {};
