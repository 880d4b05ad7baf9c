import { crc32 } from 'node:zlib';
import { address, hash } from '@oddlot/units';
import type { TxRecord } from '../rows/block-rows.ts';
import { HistoryDamagedError } from './store-errors.ts';

/** The requests of a block as one text: they are written once, and read a block at a time. */
type PackedTxs = { readonly height: number; readonly txs: string; readonly crc: number };

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
  const text = JSON.stringify(tuples);
  return { height, txs: text, crc: crc32(`${height}\n${text}`) };
}

export function unpackTxs({ crc, height, txs }: PackedTxs): TxRecord[] {
  if (crc32(`${height}\n${txs}`) !== crc) {
    throw new HistoryDamagedError(`the requests of block ${height} are not what was written`);
  }
  return (JSON.parse(txs) as Tuple[]).map(([index, txHash, user, actionType, error, request]) => ({
    index,
    txHash: hash(txHash),
    user: address(user),
    actionType,
    error,
    request,
  }));
}
