import { startInstallation } from './dist/support/installation.js';
import { sandboxControl } from '@switchboard/acceptance';
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
const N = Number(process.argv[2] ?? 1000);
const inst = await startInstallation();
const { switchboard, profile, socials, client, pool } = inst;
const { ledger } = sandboxControl(switchboard.sandboxUrl);
const pct = (xs, p) => xs.sort((a, b) => a - b)[Math.min(xs.length - 1, Math.floor((xs.length * p) / 100))];
try {
  for (let round = 0; round < Number(process.argv[3] ?? 2); round++) {
    const before = (await ledger('post.created', 'maren-holt')).length;
    const t0 = Date.now();
    const due = Date.now() + 20000;
    for (let b = 0; b < N / 50; b++) {
      await client.expect(201, 'POST', '/social/posts/batch', { body: { posts: Array.from({ length: 50 }, () => ({
        profile_id: profile, targets: [{ connection_id: socials[0] }], scheduled_at: new Date(due).toISOString(), text: `Due ${randomUUID()}` })) } });
    }
    const sched = Date.now() - t0;
    if (Date.now() > due) throw new Error('too slow ' + sched);
    await new Promise((r) => setTimeout(r, due - Date.now()));
    const stat0 = (await pool.query('select xact_commit from pg_stat_database where datname=current_database()')).rows[0];
    let made;
    do { await new Promise((r) => setTimeout(r, 1000)); made = (await ledger('post.created', 'maren-holt')).slice(before); } while (made.length < N && Date.now() < due + 60000);
    const late = made.map(({ at }) => Date.parse(at) - due);
    const stat1 = (await pool.query('select xact_commit from pg_stat_database where datname=current_database()')).rows[0];
    console.log(JSON.stringify({ sched, n: made.length, p50: pct(late, 50), p99: pct(late, 99), max: Math.max(...late), min: Math.min(...late), commits: stat1.xact_commit - stat0.xact_commit }));
    const e = await pool.query("select status, count(*) from deliveries group by 1"); console.log(JSON.stringify(e.rows));
  }
} finally { await inst.close(); }
