import type { AppliedBlock } from '../../../block/block.ts';
import type { TapeTrade } from '../../../history/trade-tape.ts';
import { pastOfBlocks } from '../past-of-blocks.ts';
import type { Past, PastSpan } from '../past.ts';
import type { ChannelContext } from './node-channel.ts';

/** A frame of trades a block that had any, from the blocks in memory, or of instruments with few trades from their tape. */
export function pastTrades(
  { recent, tape }: Pick<ChannelContext, 'recent' | 'tape'>,
  instrumentIds: readonly number[],
  { after, upTo }: PastSpan,
  textOf: (trades: readonly TapeTrade[]) => string,
): Past | 'tooOld' {
  const blocks = recent.between(after, upTo);
  if (blocks !== undefined) {
    const ofBlock = (block: AppliedBlock): readonly string[] => {
      const traded = instrumentIds.filter((id) => recent.hasTradesOf(block, id));
      const trades = traded.flatMap((id) => tape.tradesOf(block, id));
      return trades.length === 0 ? [] : [textOf(trades)];
    };
    return pastOfBlocks(blocks, ofBlock);
  }
  const byHeight = new Map<number, TapeTrade[]>();
  for (const id of instrumentIds) {
    const since = tape.since(id, after);
    if (since === undefined) return 'tooOld';
    for (const { height, trade } of since) {
      if (height > upTo) continue;
      const trades = byHeight.get(height);
      if (trades === undefined) byHeight.set(height, [trade]);
      else trades.push(trade);
    }
  }
  const heights = [...byHeight.keys()].sort((a, b) => a - b);
  const frames = heights.map((height) => ({ height, data: textOf(byHeight.get(height) ?? []) }));
  let isTold = false;
  const next = () => {
    const told = isTold ? [] : frames;
    isTold = true;
    return told;
  };
  return { count: frames.length, next };
}
