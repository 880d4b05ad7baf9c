import type { Logger } from '@oddlot/host/log';
import { payoutKey } from './peg-work.ts';
import type { RelayBook } from '../book/relay-book.ts';
import type { RelayChain } from '../chains/relay-chain.ts';
import { SettingError } from '@oddlot/host/settings';
import { isOver } from '../book/records.ts';

/**
 * Leaves transfers of pegs alone from now on, because their operator says so: nothing is paid, given back or fetched for
 * them any more, and what they say that came counts no longer as being in the peg.
 */
export function endTransfers(
  ids: readonly string[],
  parts: {
    readonly book: RelayBook;
    readonly chains: ReadonlyMap<string, RelayChain>;
    readonly log: Logger;
    readonly now: () => number;
  },
): void {
  const { book, chains, log, now } = parts;
  for (const id of ids) {
    const transfer = book.transfer(id);
    const address = transfer === undefined ? undefined : book.address(transfer.addressId);
    if (transfer === undefined || address?.kind !== 'peg') {
      throw new SettingError(
        `end: ${id} is not the id of a transfer from a relay withdrawal address`,
      );
    }
    if (isOver(transfer)) continue;
    const sent = chains.get(address.chain)?.relayer.find(payoutKey(transfer));
    if (sent !== undefined && sent.mined?.isConfirmed !== true) {
      throw new SettingError(
        `end: the payment of ${id} is under way; wait until the chain confirms it`,
      );
    }
    const end = { state: 'completed', isSwept: true, trouble: undefined } as const;
    book.put({ ...transfer, ...end, updateMs: now() });
    log.warn({ id, was: transfer.state }, 'transfer ended by the operator');
  }
}
