import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHAIN_LINES } from '@oddlot/devchain/chain-lines';
import type { Located } from './report.ts';

/** The file of the local settlement chain: each line carries a checksum that continues the one before. */
export function verifyChainFile(data: string): readonly Located[] {
  const file = join(data, 'chain', 'chain.log');
  if (!existsSync(file)) return [];
  const bytes = readFileSync(file);
  let before: ReturnType<typeof CHAIN_LINES.read> | undefined;
  for (let offset = 0; offset < bytes.length;) {
    const end = bytes.indexOf('\n', offset);
    if (end < 0) return [{ file, offset, what: 'the last line is incomplete, as after a crash' }];
    const line = bytes.toString('utf8', offset, end);
    const read = CHAIN_LINES.read(line, before);
    // What is no UTF-8 reads as something else, and must not pass for it.
    if (!read.isRight || !Buffer.from(line).equals(bytes.subarray(offset, end))) {
      return [{ file, offset, what: 'the checksum of the line does not match' }];
    }
    before = read;
    offset = end + 1;
  }
  return [];
}
