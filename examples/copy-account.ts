import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import {
  followFills,
  Instruments,
  marketOrder,
  onGrid,
  placeOrders,
  type Client,
  type FillsCursor,
  type Fill,
} from '@oddlot/sdk';
import { connect } from './connect.ts';

/**
 * Copies an account's trades at a fraction of their size. It stores a cursor, so that after a
 * restart it resumes after the last trade copied. A trade that was being copied at the restart may
 * be copied twice, but none is missed.
 */

export type Copy = {
  readonly leader: string;
  /** The size of a copy, as a fraction of the leader's size. */
  readonly part: number;
  readonly slippagePercent: string;
  readonly cursor?: FillsCursor | undefined;
  /** Called with the cursor after each trade has been copied. */
  readonly keep: (cursor: FillsCursor) => void;
  readonly signal?: AbortSignal;
};

export async function copyAccount(client: Client, copy: Copy): Promise<void> {
  const instruments = await Instruments.load(client);
  const { cursor, keep, leader: user, signal } = copy;
  for await (const { fill, cursor: place } of followFills(client, { user, cursor, signal })) {
    await repeat(client, instruments, fill, copy);
    keep(place);
  }
}

async function repeat(
  client: Client,
  instruments: Instruments,
  fill: Fill,
  copy: Copy,
): Promise<void> {
  const instrument = await instruments.find(fill.instrumentId);
  const size = onGrid((Number(fill.sz) * copy.part).toFixed(8), instrument.sizeStep, 'down');
  if (Number(size) === 0) return;
  const side = fill.side === 'B' ? 'buy' : 'sell';
  // If a trade only closes the leader's position, the copy must do the same.
  const reduceOnly = fill.dir.startsWith('Close');
  const { slippagePercent } = copy;
  const order = await marketOrder(client, { instrument, side, size, slippagePercent, reduceOnly });
  const [placed] = await placeOrders(client, [order]);
  console.log(
    `${side} ${size} ${instrument.name}: ${placed?.result?.error ?? placed?.result?.state}`,
  );
}

if (import.meta.main) {
  const { LEADER: leader, CURSOR: file = 'copy-account.json' } = process.env;
  if (leader === undefined) throw new Error('Missing account to copy. Set LEADER=0x…');
  let cursor: FillsCursor | undefined;
  try {
    cursor = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    console.log('copying starts with the next trade');
  }
  const keep = (place: FillsCursor): void => {
    // The file is first written under a different name, so that a crash leaves either the old file
    // or the new one.
    writeFileSync(`${file}.new`, JSON.stringify(place));
    renameSync(`${file}.new`, file);
  };
  await copyAccount(connect(), { leader, part: 0.1, slippagePercent: '0.5', cursor, keep });
}
