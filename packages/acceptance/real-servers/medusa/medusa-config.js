const { defineConfig } = require('@medusajs/framework/utils');

const LOOPBACK = 'http://127.0.0.1';

module.exports = defineConfig({
  admin: { disable: true },
  projectConfig: {
    databaseUrl: process.env.DATABASE_URL,
    databaseDriverOptions: { ssl: false, connection: { ssl: false } },
    http: {
      storeCors: LOOPBACK,
      adminCors: LOOPBACK,
      authCors: LOOPBACK,
      jwtSecret: 'only-for-tests',
      cookieSecret: 'only-for-tests',
    },
  },
});
