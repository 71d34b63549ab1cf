import type { Post } from '@switchboard/domain/posts';
import type { DatabaseClient } from './columns.js';
import { flattenAccount, toRow } from './post-rows.js';

/** In one statement, with their deliveries. */
export async function insertPosts(
  client: DatabaseClient,
  posts: readonly Post[],
  traceparent: string | null,
): Promise<void> {
  const postRows = posts.map(({ deliveries, approval: _, holds: __, ...post }) =>
    // Triggers on deliveries set the status; a post without deliveries has none.
    toRow({ ...post, settledStatus: deliveries.length === 0 ? 'cancelled' : null }),
  );
  const deliveryRows = posts.flatMap(({ deliveries }) =>
    deliveries.map((one, position) => toRow({ ...flattenAccount(one), position, traceparent })),
  );
  await client.$executeRaw`
    WITH inserted_posts AS (
      INSERT INTO posts SELECT * FROM jsonb_populate_recordset(NULL::posts, ${JSON.stringify(postRows)}::jsonb)
    )
    INSERT INTO deliveries
    SELECT * FROM jsonb_populate_recordset(NULL::deliveries, ${JSON.stringify(deliveryRows)}::jsonb)`;
}
