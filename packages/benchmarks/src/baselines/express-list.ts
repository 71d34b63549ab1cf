import express from 'express';
import pg from 'pg';
import { bareQuery } from './bare-query.js';

// The minimal way to return the rows of a list: no key, no schema, no log.
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });
const app = express();
app.disable('etag');
app.get('/', async (_request, response) => {
  const { rows } = await pool.query(bareQuery);
  response.json(rows);
});
app.listen(Number(process.env['PORT']), '127.0.0.1', () => process.stdout.write('ready\n'));
