import { crc32 } from 'node:zlib';
import { address, hash } from '@oddlot/units';
import type { TxRecord } from '../rows/block-rows.ts';
import { packText, unpackText } from './packed/packed-text.ts';
import { HistoryDamagedError } from './store-errors.ts';

/** The requests of a block as one text: they are written once, and read a block at a time. */
type PackedTxs = {
  readonly height: number;
  readonly txs: string;
  readonly crc: number;
  /** Instead of the text, where that is long. */
  readonly packed: Uint8Array | null;
};

type Tuple = readonly [
  index: number,
  txHash: string,
  user: string,
  actionType: string,
  error: string | null,
  request: string,
];

export function packTxs(height: number, txs: readonly TxRecord[]): PackedTxs {
  const tuples: Tuple[] = txs.map(({ actionType, error, index, request, txHash, user }) => [
    index,
    txHash,
    user,
    actionType,
    error,
    request,
  ]);
  const whole = JSON.stringify(tuples);
  const { packed, text } = packText(whole);
  return { height, txs: text, crc: crc32(`${height}\n${whole}`), packed };
}

export function unpackTxs({ crc, height, packed, txs }: PackedTxs): TxRecord[] {
  const whole = unpackText({ text: txs, packed });
  if (crc32(`${height}\n${whole}`) !== crc) {
    throw new HistoryDamagedError(`the requests of block ${height} are damaged`);
  }
  return (JSON.parse(whole) as Tuple[]).map(
    ([index, txHash, user, actionType, error, request]) => ({
      index,
      txHash: hash(txHash),
      user: address(user),
      actionType,
      error,
      request,
    }),
  );
}
