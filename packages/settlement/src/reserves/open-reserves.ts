import { join } from 'node:path';
import type { Clock } from '@oddlot/host/clock';
import type { Logger } from '@oddlot/host/log';
import type { History } from '@oddlot/history/history';
import type { HolderReplica } from '@oddlot/replica/replica';
import { treeFolder } from '@oddlot/history/reserves/tree-file';
import { EMPTY_BOOK } from '../deposit-book.ts';
import type { WatchStatus } from '../deposit-watcher.ts';
import type { Settlement } from '../settlement.ts';
import type { SharedSettlement } from '../shared-settlement.ts';
import type { ReservesWorker } from './reserves-worker.ts';

export async function openReserves(
  settings: {
    readonly data: string;
    readonly bridgeFromBlock: number;
    readonly reservesEveryMs: number;
  },
  parts: {
    readonly money:
      | { readonly settlement: Settlement | SharedSettlement; readonly holder: HolderReplica }
      | undefined;
    readonly indexer: Pick<History, 'ask'>;
    readonly clock: Clock;
    readonly log: Logger;
  },
): Promise<Pick<ReservesWorker, 'current' | 'proof'> | undefined> {
  const { indexer, clock, log, money } = parts;
  if (money === undefined) return undefined;
  const { holder: replica, settlement } = money;
  const program = await import('./reserves-worker.ts');
  const reserves = new program.ReservesWorker({
    client: settlement.client,
    contracts: settlement.contracts,
    fromBlock: settings.bridgeFromBlock,
    everyMs: settings.reservesEveryMs,
    watch: () => settlement.status?.watch ?? NOT_HERE,
    isMinter: settlement.backing !== undefined,
    replica,
    history: indexer,
    folder: treeFolder(settings.data),
    file: join(settings.data, 'settlement', 'paid.json'),
    now: () => clock.nowMs(),
    log,
  });
  settlement.add(reserves);
  if (!('isHere' in settlement)) return reserves;
  const { sharedReserves } = await import('./reserves-worker.ts');
  return sharedReserves(reserves, settlement);
}

/** The status of the watcher while no process transacts on the chain. */
const NOT_HERE: WatchStatus = {
  state: 'unavailable',
  error: undefined,
  head: 0,
  block: 0,
  isCurrent: false,
  book: EMPTY_BOOK,
  reorganisation: undefined,
  foreign: undefined,
};
