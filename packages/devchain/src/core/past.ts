import { deflateSync, inflateSync } from 'node:zlib';
import { hexToBytes, bytesToHex } from '@ethereumjs/util';
import { Bloom } from '@ethereumjs/vm';
import type { ChainBlock, ChainLog, Hex } from './chain-block.ts';

/**
 * Blocks that nothing takes back any more. What they wrote is in the state, and their blooms follow from their
 * logs: both are left off, and the rest is kept for ever, packed. Everything that can be asked of a block can be
 * asked of one of these.
 */

/** Stands for a bloom that is computed when somebody asks for it. */
const LEFT_OFF: Hex = '0x';
const PACKED_BLOCKS = 1_000;

/** A block without what its past does not need. */
export function withoutState(block: ChainBlock): ChainBlock {
  const transactions = block.transactions.map((each) => ({ ...each, logsBloom: LEFT_OFF }));
  return { ...block, transactions, logsBloom: LEFT_OFF, writes: {} };
}

export function packBlocks(blocks: readonly ChainBlock[]): readonly string[] {
  const packed: string[] = [];
  for (let from = 0; from < blocks.length; from += PACKED_BLOCKS) {
    const some = blocks.slice(from, from + PACKED_BLOCKS);
    packed.push(deflateSync(JSON.stringify(some)).toString('base64'));
  }
  return packed;
}

export function unpackBlocks(packed: string): readonly ChainBlock[] {
  const text = inflateSync(Buffer.from(packed, 'base64')).toString('utf8');
  return JSON.parse(text) as ChainBlock[];
}

/** The bloom that is there, or the one of these logs. */
export function bloomOf(bloom: Hex, logs: readonly ChainLog[]): Hex {
  if (bloom !== LEFT_OFF) return bloom;
  const computed = new Bloom();
  for (const { address, topics } of logs) {
    for (const each of [address, ...topics]) computed.add(hexToBytes(each));
  }
  return bytesToHex(computed.bitvector);
}
