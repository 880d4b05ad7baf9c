import type { ExplorerBlock, TxBrief } from '@oddlot/sdk';
import { askAfterChanges, createLive } from './live.ts';
import { reader } from './venue.ts';

/** The newest blocks and what they executed, newest first. */

export const LATEST_MAX = 40;

type BlocksState = { readonly blocks: readonly ExplorerBlock[]; readonly isLoaded: boolean };
type TxsState = { readonly txs: readonly TxBrief[]; readonly isLoaded: boolean };

const FILL_EVERY_MS = 1_000;

/** Whether a block is missing between the newest and the oldest. */
function hasGap(blocks: readonly ExplorerBlock[]): boolean {
  const [newest, oldest] = [blocks[0]?.height ?? 0, blocks.at(-1)?.height ?? 0];
  return blocks.length > 0 && newest - oldest + 1 !== blocks.length;
}

export const latestBlocks = createLive<'latest', BlocksState>({
  key: (name) => name,
  initial: () => ({ blocks: [], isLoaded: false }),
  open: (_, store) => {
    const take = (blocks: readonly ExplorerBlock[]): void => {
      const byHeight = new Map(
        [...store.getState().blocks, ...blocks].map((block) => [block.height, block]),
      );
      const sorted = [...byHeight.values()].sort((left, right) => right.height - left.height);
      store.setState({ blocks: sorted.slice(0, LATEST_MAX), isLoaded: true });
    };
    let isAsking = false;
    // The stream begins with the block of now; those before it, and those that a lost connection has left out,
    // are asked for. The history may be behind the stream by a few: then once more.
    const fill = async (): Promise<void> => {
      if (isAsking) return;
      isAsking = true;
      take(await reader.info.blocks({ limit: LATEST_MAX }).catch(() => []));
      timer = setTimeout(() => {
        isAsking = false;
        if (hasGap(store.getState().blocks)) void fill();
      }, FILL_EVERY_MS);
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    void fill();
    const stream = reader.streams.explorerBlock({}, (event) => {
      if (event.type === 'data') take(event.data);
      if (hasGap(store.getState().blocks)) void fill();
    });
    return () => {
      clearTimeout(timer);
      stream.close();
    };
  },
});

export const latestTxs = createLive<'latest', TxsState>({
  key: (name) => name,
  initial: () => ({ txs: [], isLoaded: false }),
  open: (_, store) => {
    let toldHeight = 0;
    // The stream tells that there are new ones, not what they say.
    const asking = askAfterChanges(
      async (signal) => {
        const txs = await reader.info.txs({ limit: LATEST_MAX }, { signal });
        store.setState({ txs, isLoaded: true });
        // The history may be behind the stream, and what waits in the delay queue is told when it is released.
        const isBehind = (txs[0]?.block ?? 0) < toldHeight;
        return isBehind || txs.some(({ entries }) => entries === null) ? 'partial' : 'whole';
      },
      { everyMs: FILL_EVERY_MS },
    );
    const stream = reader.streams.explorerTxs({}, (event) => {
      if (event.type === 'reset') toldHeight = 0;
      else for (const { block } of event.data) toldHeight = Math.max(toldHeight, block);
      asking.again();
    });
    asking.onceHeard(stream);
    return () => {
      asking.stop();
      stream.close();
    };
  },
});
