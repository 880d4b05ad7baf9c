import { hash as digest } from 'node:crypto';
import { cloidKey } from '@oddlot/protocol';
import { address, hash } from '@oddlot/units';
import type { ReceiptBlock, ReceiptRow } from '../receipt-row.ts';

/**
 * The receipts of a block as one text: two lines a receipt, its fields and its body. A block is
 * written once and read rarely, so what counts is that making the text costs next to nothing; the
 * body is JSON and so has no line breaks of its own. A receipt that was completed after the block that
 * executed its action names that block at the end of its fields.
 */
export function encodeReceipts(height: number, receipts: readonly ReceiptRow[]): string {
  let text = '';
  for (const row of receipts) {
    const { actionType, body, failed, index, nonce, signer, txHash, user } = row;
    const fields = `${txHash} ${signer} ${user} ${nonce} ${index} ${failed ? 1 : 0} ${actionType}`;
    const block = row.height === height ? '' : ` ${row.height} ${row.timeMs} ${row.blockHash}`;
    text += `${fields}${block}\n${body}\n`;
  }
  return text;
}

/** Where the fields of another block start. */
const BLOCK_FIELDS = 7;

export function decodeReceipts(block: Omit<ReceiptBlock, 'receipts'>, text: string): ReceiptRow[] {
  const lines = text.split('\n');
  const rows: ReceiptRow[] = [];
  for (let line = 0; line + 1 < lines.length; line += 2) {
    const fields = (lines[line] ?? '').split(' ');
    const [txHash = '', signer = '', user = '', nonce, index, failed, actionType = ''] = fields;
    const [height, timeMs, blockHash] = fields.slice(BLOCK_FIELDS);
    rows.push({
      txHash: hash(txHash),
      signer: address(signer),
      user: address(user),
      nonce: Number(nonce),
      index: Number(index),
      failed: failed === '1',
      actionType,
      height: height === undefined ? block.height : Number(height),
      timeMs: timeMs === undefined ? block.timeMs : Number(timeMs),
      blockHash: blockHash === undefined ? block.blockHash : hash(blockHash),
      body: lines[line + 1] ?? '',
    });
  }
  return rows;
}

/** Digits of a hash that make its key: those that a trace id leaves as they are. */
const HASH_KEY_DIGITS = 12;
const SIGNER_KEY_DIGITS = 10;
/** Above every key of a hash, so that one index serves both. */
const SIGNER_KEYS = 2 ** 49;

/** 48 bits of a transaction hash or a trace id: where to look, not proof of what is there. */
export function hashKey(hex: string): number {
  return Number.parseInt(hex.slice(0, HASH_KEY_DIGITS), 16);
}

/** Above every key of a signer. */
const ACCOUNT_KEYS = 2 ** 51;

/** The same for the account that a request acts for: one for each block that has some of its requests. */
export function accountKey(user: string): number {
  return ACCOUNT_KEYS + Number.parseInt(user.slice(2, 2 + HASH_KEY_DIGITS), 16);
}

/** 48 bits that stand for a client order id of an account: a hash, so that nobody can choose another's. */
export function clientIdKey(user: string, clientOrderId: string): number {
  return hashKey(digest('sha1', `${user} ${cloidKey(clientOrderId) ?? ''}`));
}

/** The same for a signer and a nonce. */
export function signerKey(signer: string, nonce: number): number {
  return SIGNER_KEYS + Number.parseInt(signer.slice(2, 2 + SIGNER_KEY_DIGITS), 16) + nonce;
}
