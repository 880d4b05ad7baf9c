import { bridgeView, openWithdrawals } from '@oddlot/engine';
import type { Logger } from '@oddlot/host/log';
import type { Lease, Term } from '../lease/lease.ts';
import type { LocalReplica } from '../replica/local-replica.ts';
import { NO_CHAIN } from '../translate/refuse-without-chain.ts';

type ReturningReplica = Pick<LocalReplica, 'propose' | 'state' | 'tick'>;

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
  const held = await lease.hold(
    'settlement',
    (term) => returnAll(term, replica, log),
    () => undefined,
  );
  // Another replica may have a chain, and needs the lease to open the bridge.
  await held.release();
}

async function returnAll(term: Term, replica: ReturningReplica, log: Logger): Promise<void> {
  // Applies every block that other replicas have written, including one that opens a bridge.
  await replica.tick();
  for (const withdrawalId of unpayable(replica)) {
    if (term.isOver()) return;
    await replica.propose({
      type: 'settleWithdrawal',
      withdrawalId,
      paid: false,
      error: NO_CHAIN,
    });
    log.warn({ withdrawalId }, 'withdrawal returned: no settlement chain can pay it');
  }
}

function unpayable({ state }: ReturningReplica): readonly number[] {
  if (bridgeView(state) !== undefined) return [];
  return openWithdrawals(state).withdrawals.map(({ withdrawalId }) => withdrawalId);
}
