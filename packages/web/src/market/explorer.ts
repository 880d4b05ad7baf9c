import type { ExplorerBlock, TxBrief } from '@oddlot/sdk';
import { createLive } from './live.ts';
import { reader } from './venue.ts';

/** The newest blocks and what they executed, newest first. */

export const LATEST_MAX = 40;

type BlocksState = { readonly blocks: readonly ExplorerBlock[]; readonly isLoaded: boolean };
type TxsState = { readonly txs: readonly TxBrief[]; readonly isLoaded: boolean };

const FILL_EVERY_MS = 1_000;
const RETRY_MS = 2_000;

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
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isClosed = false;
    let isWanted = true;
    // The stream tells that there are new ones, not what they say. Those of a busy second are asked for at once.
    const fill = async (): Promise<void> => {
      isWanted = false;
      const txs = await reader.info.txs({ limit: LATEST_MAX }).catch(() => undefined);
      if (isClosed) return;
      if (txs !== undefined) store.setState({ txs, isLoaded: true });
      // What waits in the delay queue is told when it is released, and what could not be had may come.
      const isOpen = txs === undefined || txs.some(({ entries }) => entries === null);
      timer = setTimeout(
        () => {
          timer = undefined;
          if (isWanted || isOpen) void fill();
        },
        isOpen ? RETRY_MS : FILL_EVERY_MS,
      );
    };
    void fill();
    const stream = reader.streams.explorerTxs({}, () => {
      const isIdle = !isWanted && timer === undefined && store.getState().isLoaded;
      isWanted = true;
      if (isIdle) void fill();
    });
    return () => {
      isClosed = true;
      clearTimeout(timer);
      stream.close();
    };
  },
});
