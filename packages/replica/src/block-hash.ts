import type { BlockResult } from '@oddlot/engine';
import { isSigned } from '@oddlot/engine';
import { type Hash, hash } from '@oddlot/units';
import { createKeccak } from 'hash-wasm';
import type { AppliedBlock, BlockHead, LogEntry } from './block.ts';

export const GENESIS_HEAD: BlockHead = {
  height: 0,
  timeMs: 0,
  hash: hash(`0x${'0'.repeat(64)}`),
  stateHash: hash(`0x${'0'.repeat(64)}`),
};

/**
 * Computes the hash of a block, which covers the parent's hash, the commands and the resulting
 * state (R-block).
 */
export type BlockHasher = (parent: BlockHead, entry: LogEntry, result: BlockResult) => AppliedBlock;

export type TextHasher = (text: string) => Hash;

export async function createTextHasher(): Promise<TextHasher> {
  const keccak = await createKeccak(256);
  return (text) => hash(`0x${keccak.init().update(text).digest('hex')}`);
}

export function stateHashOf(hashText: TextHasher, height: number, digest: string): Hash {
  return hashText(`${height}:${digest}`);
}

export function createBlockHasher(hashText: TextHasher): BlockHasher {
  return (parent, entry, result) => {
    const stateHash = stateHashOf(hashText, result.height, result.digest);
    const commands = entry.commands.map(({ command }) =>
      isSigned(command) ? command.authority.txHash : JSON.stringify(command),
    );
    const content = [parent.hash, entry.seq, entry.timeMs, stateHash, ...commands].join('\n');
    return {
      height: entry.seq,
      timeMs: entry.timeMs,
      hash: hashText(content),
      stateHash,
      parentHash: parent.hash,
      commands: entry.commands,
      proposal: entry.proposal,
      result,
    };
  };
}
