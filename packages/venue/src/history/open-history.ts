import { join } from 'node:path';
import { present } from '@oddlot/units';
import type { Held, Lease } from '../lease/lease.ts';
import type { Logger } from '../operate/log.ts';
import { ReceiptRebuild } from './receipt-rebuild.ts';
import { ReceiptStore } from './receipt-store.ts';

/** Receipts that are too old are dropped this often. */
const PRUNE_EVERY_MS = 3_600_000;

export type HistoryOptions = {
  /** The data folder. */
  readonly data: string;
  readonly receiptsKeptMs: number;
  readonly now: () => number;
};

export type OpenHistory = {
  readonly store: ReceiptStore;
  /** Of what the store has lost. */
  readonly rebuild: ReceiptRebuild;
  /** The store, as its only writer. */
  readonly history: Held;
};

/** Opens the store of receipts as its only writer, who also drops what is too old. */
export async function openHistory(
  { data, now, receiptsKeptMs }: HistoryOptions,
  deps: {
    readonly lease: Lease;
    readonly log: Logger;
    readonly onFatal: (error: unknown) => void;
  },
): Promise<OpenHistory> {
  const { lease, log, onFatal } = deps;
  const opened: { store?: ReceiptStore; rebuild?: ReceiptRebuild; pruning?: NodeJS.Timeout } = {};
  const history = await lease.hold(
    'history writer',
    async () => {
      const onDamaged = (damage: object): void => {
        log.error(damage, 'the receipts are damaged: set aside, and computed again from the log');
        opened.rebuild?.look().catch(onFatal);
      };
      const file = join(data, 'receipts.sqlite');
      const store = await ReceiptStore.open({ file, onFatal, onDamaged });
      opened.store = store;
      opened.rebuild = new ReceiptRebuild({
        data,
        store,
        onDone: (until) => log.info({ until }, 'the receipts are complete again'),
        onFailed: (err) => log.error({ err }, 'receipts stay missing until the next start'),
      });
      opened.pruning = setInterval(() => {
        store.prune(now() - receiptsKeptMs).catch(onFatal);
      }, PRUNE_EVERY_MS);
    },
    async () => {
      clearInterval(opened.pruning);
      await opened.rebuild?.stop();
      await opened.store?.close();
    },
  );
  return {
    history,
    store: present(opened.store, 'the store of the only process'),
    rebuild: present(opened.rebuild, 'with its store'),
  };
}
