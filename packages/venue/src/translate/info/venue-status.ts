import { doWithdrawalsWait, oracleAges, venueMoney, type State } from '@oddlot/engine';
import type { VenueGate, VenueOracle, VenueStatus } from '@oddlot/protocol';
import { formatMoney } from '@oddlot/units';
import { answer, type InfoHandler } from './handler.ts';

/** Who operates the venue, and how it does. Of the lists of gates only how long they are: those are people. */
export const venueStatus: InfoHandler<'venueStatus', VenueStatus> = ({ state }) => {
  const { accounts, gates, height, outcomes, parameters, timeMs, withdrawals } = state;
  return answer({
    height,
    time: timeMs,
    admins: [...(parameters?.admins ?? [])],
    deployers: [...(parameters?.deployers ?? [])],
    gates: gates.map((gate, channel): VenueGate => ({
      channel: channel === 0 ? 0 : 1,
      mode: gate.mode,
      whitelist: gate.whitelist.size,
      blacklist: gate.blacklist.size,
      accessCodes: gate.codes.size,
      grants: gate.grants.size,
    })),
    ...moneyAndOracles(state),
    accounts: accounts.length,
    queuedOrders: outcomes.queue.size,
    openWithdrawals: withdrawals.size,
    withdrawalsWait: parameters !== undefined && doWithdrawalsWait(state),
  });
};

/** Before its first block a venue has neither prices nor a fund. */
function moneyAndOracles(
  state: State,
): Pick<VenueStatus, 'oracles' | 'insuranceFund' | 'insuranceTarget' | 'treasury'> {
  if (state.parameters === undefined) {
    return { oracles: [], insuranceFund: '0', insuranceTarget: '0', treasury: '0' };
  }
  const { insuranceFund, insuranceTarget, treasury } = venueMoney(state);
  return {
    oracles: oracleAges(state, state.timeMs).map(
      ({ ageMs, isStale, isTrading, name }): VenueOracle => ({
        coin: name,
        trading: isTrading,
        ageMs: ageMs ?? null,
        stale: isStale,
      }),
    ),
    insuranceFund: formatMoney(insuranceFund),
    insuranceTarget: formatMoney(insuranceTarget),
    treasury: formatMoney(treasury),
  };
}
