import type { ExplorerBlock, ExplorerTx } from '@oddlot/protocol';
import type { BlockRecord, History } from '../../../history/history.ts';
import { PROPOSER } from '../../../translate/explorer.ts';
import type { Past, PastFrame, PastSpan } from '../past.ts';

/** Blocks that are read at a time, and the most that anybody is told of at once. */
const BLOCKS_AT_ONCE = 500;
const BLOCKS_MAX = 10_000;

/** A frame a block. */
export async function pastBlocks(history: History, span: PastSpan): Promise<Past | 'tooOld'> {
  const { after, upTo } = span;
  if (!(await hasAll(history, span))) return 'tooOld';
  let told = after;
  const next = async (): Promise<PastFrame[]> => {
    const blocks = await blocksBehind(history, { after: told, upTo });
    told += blocks.length;
    return blocks.map((block) => ({
      height: block.height,
      data: JSON.stringify([shownBlock(block)]),
    }));
  };
  return { count: upTo - after, next };
}

/** A frame for each block that has requests. */
export async function pastTxs(history: History, span: PastSpan): Promise<Past | 'tooOld'> {
  const { after, upTo } = span;
  if (!(await hasAll(history, span))) return 'tooOld';
  const heights: number[] = [];
  for (let from = after; from < upTo; from += BLOCKS_AT_ONCE) {
    const blocks = await blocksBehind(history, { after: from, upTo });
    for (const { height, numTxs } of blocks) if (numTxs > 0) heights.push(height);
  }
  let at = 0;
  const next = async (): Promise<PastFrame[]> => {
    const height = heights[at];
    if (height === undefined) return [];
    at += 1;
    const { answer } = await history.ask('block', { height }, { minHeight: upTo });
    const txs = (answer?.txs ?? []).map(
      ({ actionType, error, height: block, timeMs: time, txHash, user }): ExplorerTx => ({
        hash: txHash,
        time,
        user,
        action: { type: actionType },
        block,
        error,
      }),
    );
    return txs.length === 0 ? [] : [{ height, data: JSON.stringify(txs) }];
  };
  return { count: heights.length, next };
}

/** Whether the first of them is there, and there are not too many; those behind it then are too. */
async function hasAll(history: History, { after, upTo }: PastSpan): Promise<boolean> {
  if (upTo - after > BLOCKS_MAX) return false;
  try {
    const [first] = await blocksBehind(history, { after, upTo: after + 1 }, upTo);
    return first !== undefined;
  } catch {
    // What holds now can be told without the history.
    return false;
  }
}

/** Oldest first. */
async function blocksBehind(
  history: History,
  { after, upTo }: PastSpan,
  minHeight = upTo,
): Promise<readonly BlockRecord[]> {
  const limit = Math.min(BLOCKS_AT_ONCE, upTo - after);
  const question = { before: after + limit + 1, limit };
  const { answer } = await history.ask('blocks', question, { minHeight });
  return answer.filter(({ height }) => height > after).toReversed();
}

function shownBlock({ hash, height, numTxs, timeMs: blockTime }: BlockRecord): ExplorerBlock {
  return { height, blockTime, hash, proposer: PROPOSER, numTxs };
}
