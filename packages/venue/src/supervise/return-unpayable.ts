import { bridgeView, openWithdrawals } from '@oddlot/engine';
import type { Logger } from '@oddlot/host/log';
import { type Lease, SETTLEMENT_LEASE } from '../lease/lease.ts';
import { HolderReplica, type Replica, TermOverError } from '../replica/replica.ts';
import type { LocalReplica } from '../replica/local-replica.ts';
import { NO_CHAIN } from '../translate/action-to-command.ts';

type ReturningReplica = Replica & Pick<LocalReplica, 'tick'>;

/**
 * Returns the withdrawals that a venue without a settlement chain holds (R-withdraw). Payouts are signed for the bridge that the log
 * names. If the log names one, a payout may be under way and nothing is returned, even if no chain is configured now.
 */
export async function returnUnpayable(
  lease: Lease,
  replica: ReturningReplica,
  log: Logger,
): Promise<void> {
  if (unpayable(replica).length === 0) return;
  const holder = new HolderReplica(replica, SETTLEMENT_LEASE);
  const held = await lease.hold(
    SETTLEMENT_LEASE,
    async (term) => {
      holder.enter(term);
      // Applies every block that other replicas have written, including one that opens a bridge.
      await replica.tick();
      await returnAll(holder, log);
    },
    () => undefined,
  );
  // Another replica may have a chain, and needs the lease to open the bridge.
  await held.release();
}

async function returnAll(holder: HolderReplica, log: Logger): Promise<void> {
  try {
    for (const withdrawalId of unpayable(holder)) {
      await holder.propose({
        type: 'settleWithdrawal',
        withdrawalId,
        paid: false,
        error: NO_CHAIN,
      });
      log.warn({ withdrawalId }, 'withdrawal returned: no settlement chain can pay it');
    }
  } catch (error) {
    // Another process has taken over. It returns the rest, or pays it where it has a chain.
    if (!(error instanceof TermOverError)) throw error;
  }
}

function unpayable({ state }: Pick<Replica, 'state'>): readonly number[] {
  if (bridgeView(state) !== undefined) return [];
  return openWithdrawals(state).withdrawals.map(({ withdrawalId }) => withdrawalId);
}
