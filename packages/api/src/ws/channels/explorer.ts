import { explorerBlock, explorerTxs, PROPOSER } from '@oddlot/translate/explorer';
import { instrumentLookup } from '@oddlot/translate/instruments';
import { type Requester, type BlockRecord, type History, historyOf } from '@oddlot/history/history';
import { type Past, type PastFrame, pastOfBlocks, type PastSpan, type Stream } from '../stream.ts';
import type { ChannelContext, NodeChannel, Opening, ChannelFactories } from './node-channel.ts';
import type { ExplorerBlock, ExplorerTx } from '@oddlot/protocol';

class ExplorerBlockChannel implements NodeChannel<object> {
  readonly #context: ChannelContext;
  #stream: Stream | undefined;

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open(): Opening {
    const { explorer, history, recent, state } = this.#context;
    const source = (stream: Stream) => {
      this.#stream = stream;
      return {
        snapshot: (occasion: 'subscribe' | 'resync') => lastOf(occasion, explorer.blocks),
        past: (span: PastSpan, requester: Requester) => {
          const blocks = recent.between(span.after, span.upTo);
          if (blocks === undefined) return pastBlocks(historyOf(history, requester), span);
          return pastOfBlocks(blocks, (block) => [JSON.stringify([explorerBlock(block)])]);
        },
        close: () => {
          this.#stream = undefined;
        },
      };
    };
    const height = (): number => state().height;
    return { ok: true, recipe: { key: 'explorerBlock', channel: 'explorerBlock', height, source } };
  }

  onBlock(): void {
    this.#stream?.publish(JSON.stringify(this.#context.explorer.blocks.slice(-1)));
  }
}

/** Publishes executed signed requests, with one frame for each block that contains any. */
class ExplorerTxsChannel implements NodeChannel<object> {
  readonly #context: ChannelContext;
  #stream: Stream | undefined;

  constructor(context: ChannelContext) {
    this.#context = context;
  }

  open(): Opening {
    const { explorer, history, recent, state } = this.#context;
    const instruments = instrumentLookup(state);
    const source = (stream: Stream) => {
      this.#stream = stream;
      const unwatch = explorer.watch();
      return {
        snapshot: (occasion: 'subscribe' | 'resync') => lastOf(occasion, explorer.txs),
        past: (span: PastSpan, requester: Requester) => {
          const blocks = recent.between(span.after, span.upTo);
          if (blocks === undefined) return pastTxs(historyOf(history, requester), span);
          return pastOfBlocks(blocks, (block) => {
            const txs = explorerTxs(block, instruments);
            return txs.length === 0 ? [] : [JSON.stringify(txs)];
          });
        },
        close: () => {
          unwatch();
          this.#stream = undefined;
        },
      };
    };
    const height = (): number => state().height;
    return { ok: true, recipe: { key: 'explorerTxs', channel: 'explorerTxs', height, source } };
  }

  onBlock(): void {
    const { fresh } = this.#context.explorer;
    if (fresh.length > 0) this.#stream?.publish(JSON.stringify(fresh));
  }
}

/**
 * Returns the last rows, oldest first as in the stream. Only a resync gets them: new subscribers
 * get later events only.
 */
function lastOf(occasion: 'subscribe' | 'resync', rows: readonly object[]) {
  if (occasion === 'subscribe') return undefined;
  return { data: JSON.stringify(rows), isSnapshot: true } as const;
}

/**
 * The number of blocks read from the history at once, and also the maximum number of blocks for one
 * client.
 */
const BLOCKS_AT_ONCE = 500;
const BLOCKS_MAX = 10_000;

async function pastBlocks(history: History, span: PastSpan): Promise<Past | 'tooOld'> {
  const { after, upTo } = span;
  if (!(await hasAll(history, span))) return 'tooOld';
  let sentHeight = after;
  const next = async (): Promise<PastFrame[]> => {
    const blocks = await blocksBehind(history, { after: sentHeight, upTo });
    sentHeight += blocks.length;
    return blocks.map((block) => ({
      height: block.height,
      data: JSON.stringify([shownBlock(block)]),
    }));
  };
  return { count: upTo - after, next };
}

/** Reads one frame for each block with requests. */
async function pastTxs(history: History, span: PastSpan): Promise<Past | 'tooOld'> {
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

/**
 * Returns true if the number of blocks is below the limit and the first block is stored, which
 * implies that all later blocks are stored too.
 */
async function hasAll(history: History, { after, upTo }: PastSpan): Promise<boolean> {
  if (upTo - after > BLOCKS_MAX) return false;
  try {
    const [first] = await blocksBehind(history, { after, upTo: after + 1 }, upTo);
    return first !== undefined;
  } catch {
    // A resync does not need the history.
    return false;
  }
}

/** Reads blocks, oldest first. */
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

export const EXPLORER_CHANNELS = {
  explorerBlock: (context) => new ExplorerBlockChannel(context),
  explorerTxs: (context) => new ExplorerTxsChannel(context),
} as const satisfies ChannelFactories;
