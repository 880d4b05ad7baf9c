import type { Kysely } from 'kysely';
import { hashKey } from './receipt-codec.ts';
import type { HistoryTables } from './history-tables.ts';
import { keysOf, unpackReceipts } from './packed-receipts.ts';
import { unpackTxs } from './packed-txs.ts';
import { HistoryDamagedError } from './store-errors.ts';

type Database = Kysely<HistoryTables>;

/** SQLite does not notice a flipped byte inside of a value: packed rows are looked through for it. */
export async function scrubSome(
  database: Database,
  { afterHeight, limit }: { readonly afterHeight: number; readonly limit: number },
): Promise<number | undefined> {
  const receipts = await database
    .selectFrom('receipt_blocks')
    .selectAll()
    .where('height', '>', afterHeight)
    .orderBy('height')
    .limit(limit)
    .execute();
  const txs = await database
    .selectFrom('tx_blocks')
    .selectAll()
    .where('height', '>', afterHeight)
    .orderBy('height')
    .limit(limit)
    .execute();
  for (const block of receipts) {
    for (const row of unpackReceipts(block)) await expectKeys(database, block.height, keysOf(row));
  }
  for (const block of txs) {
    for (const { txHash } of unpackTxs(block)) {
      await expectKeys(database, block.height, [hashKey(txHash.slice(2))]);
    }
  }
  // Both were read up to the lower of their ends, unless one of them ended.
  const ends = [receipts, txs]
    .filter((read) => read.length === limit)
    .map((read) => heightOf(read));
  if (ends.length > 0) return Math.min(...ends);
  const last = Math.max(heightOf(receipts), heightOf(txs));
  return last > afterHeight ? last : undefined;
}

function heightOf(rows: readonly { readonly height: number }[]): number {
  return rows.at(-1)?.height ?? 0;
}

async function expectKeys(
  database: Database,
  height: number,
  keys: readonly number[],
): Promise<void> {
  for (const key of keys) {
    const found = await database
      .selectFrom('receipt_keys')
      .select('height')
      .where('key', '=', key)
      .where('height', '=', height)
      .executeTakeFirst();
    if (found === undefined) throw new HistoryDamagedError(`a key of block ${height} is missing`);
  }
}
