import type { World } from '../world.js';

/** A post or a comment of an account. */
export interface OwnedRow {
  readonly id: string;
  readonly account_id: string;
  readonly client_ref: string | null;
  readonly created_at: string;
}

/** Posts or comments, whose changes are effects of their accounts. */
export function recordedRows<Row extends OwnedRow>(
  { clock, journal, ledger }: World,
  kind: 'post' | 'comment',
  detailsOf: (row: Row) => Readonly<Record<string, string>>,
) {
  const rows = journal.collection<Row>(`social.${kind}s`);
  const record = (change: 'created' | 'edited' | 'deleted', row: Row): Row => {
    const { id, account_id: account, client_ref: reference } = row;
    const effect = `${kind}.${change}` as const;
    ledger.append(
      { platform: 'social', effect, account, id, reference, details: detailsOf(row) },
      clock.now(),
    );
    return row;
  };
  return {
    rows,
    create(row: Row): Row {
      rows.set(row.id, row);
      return record('created', row);
    },
    replace(row: Row): Row {
      rows.set(row.id, row);
      return record('edited', row);
    },
    delete: (row: Row): void => {
      rows.delete(row.id);
      record('deleted', row);
    },
  };
}
