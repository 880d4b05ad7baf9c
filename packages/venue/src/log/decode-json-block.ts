import type { Command } from '@oddlot/engine';
import type { LoggedCommand } from '../block/log-entry.ts';
import type { BlockContent, BlockRange } from './block-codec.ts';

/**
 * A block as format 1 had it, which nobody writes any more. Per command: [u32 length][JSON of the
 * command][u32 length][the request as it came], where the second length is 0xffffffff when no client sent
 * the command.
 */

const NO_REQUEST = 0xffff_ffff;
const LENGTH_BYTES = 4;

export function decodeJsonBlock(bytes: Buffer, range: BlockRange): BlockContent {
  const commands: LoggedCommand[] = [];
  let at = range.start;
  while (at < range.end) {
    const commandEnd = textEnd(bytes, at, range.end);
    const json = bytes.toString('utf8', at + LENGTH_BYTES, commandEnd);
    const command = JSON.parse(json) as Command;
    at = commandEnd;
    if (bytes.readUInt32LE(at) === NO_REQUEST) {
      at += LENGTH_BYTES;
      commands.push({ command });
      continue;
    }
    const requestEnd = textEnd(bytes, at, range.end);
    if (range.withRequests) {
      const request = bytes.toString('utf8', at + LENGTH_BYTES, requestEnd);
      commands.push({ command, request });
    } else {
      commands.push({ command });
    }
    at = requestEnd;
  }
  return { commands };
}

function textEnd(bytes: Buffer, at: number, limit: number): number {
  const end = at + LENGTH_BYTES + bytes.readUInt32LE(at);
  if (end > limit) throw new RangeError(`a text at ${at} extends beyond its block`);
  return end;
}
