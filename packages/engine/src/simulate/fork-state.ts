import { present } from '@oddlot/units';
import type { OrderPool } from '../book/order-pool.ts';
import { EffectsDigest } from '../collections/effects-digest.ts';
import { DueQueue } from '../collections/due-queue.ts';
import { LayeredMap } from '../collections/layered-map.ts';
import { type Holding, holdingKey } from '../state/account.ts';
import type { Bridge } from '../state/bridge.ts';
import { DayStats } from '../state/day-stats.ts';
import { EntryMemory } from '../state/entry-memory.ts';
import type { OrderGroup } from '../state/group-book.ts';
import { PerpWatch } from '../state/perp-watch.ts';
import type { Perp } from '../state/perp.ts';
import { RiskIndex } from '../state/risk-index.ts';
import type { State } from '../state/state.ts';
import { forkAccounts } from './fork-accounts.ts';
import { forkOutcomes } from './fork-outcomes.ts';
import type { ObjectFields } from './object-fields.ts';

/**
 * A state that a signed command may be executed on without changing the one that it came from. Parts
 * are copied when they are first touched, so a fork costs what the command needs, however large the
 * venue is. The original must stand still while the fork is in use, and only the newest fork of a
 * state is good.
 *
 * A fork executes commands and not blocks. What only a block asks for starts empty: when resting
 * orders expire, and which scopes are to be looked at for liquidation. Commands add to both and read
 * neither. What signed commands only read is shared: vaults and gates change by the operator's
 * commands, liquidations and the fund's unwinding by steps of the block. Of triggers and schedules
 * see their own `fork`.
 */
export function forkState(state: State): State {
  const pool = state.pool.fork();
  const perps = new LayeredMap(state.perps, (perp) => forkPerp(perp, pool));
  const outcomes = forkOutcomes(state.outcomes, pool);
  const groups = state.groups.fork(holdingIn);
  const ties = { pool, perps, markets: outcomes.markets, groups };
  const accounts = forkAccounts(state.accounts, ties);
  function holdingIn({ accountIndex, holding }: OrderGroup): Holding {
    const { leg, perp } = holding;
    const account = present(accounts[accountIndex], 'the account of a group');
    const key = holdingKey(perp.definition.instrumentId, leg);
    return present(account.holdings.get(key), 'the holding of a group');
  }
  const parts: ObjectFields<State> = {
    parameters: state.parameters,
    perps,
    perpIds: [...state.perpIds],
    accounts,
    accountIndex: new LayeredMap(state.accountIndex),
    agents: new LayeredMap(state.agents),
    signers: new LayeredMap(state.signers, (nonces) => ({ ...nonces, used: [...nonces.used] })),
    pool,
    expiries: new DueQueue(),
    reserves: new LayeredMap(state.reserves),
    triggers: state.triggers.fork(),
    groups,
    schedules: state.schedules.fork(),
    reverseJobs: new LayeredMap(state.reverseJobs, (job) => ({ ...job })),
    builderRewards: new LayeredMap(state.builderRewards, (rewards) => ({ ...rewards })),
    orderBuilders: new LayeredMap(state.orderBuilders, (builder) => ({ ...builder })),
    vaults: state.vaults,
    gates: state.gates,
    withdrawals: new LayeredMap(state.withdrawals),
    bridge: state.bridge === undefined ? undefined : forkBridge(state.bridge),
    terms: state.terms,
    outcomes,
    liquidations: state.liquidations,
    fundUnwindBands: state.fundUnwindBands,
    fundCosts: state.fundCosts,
    watch: new PerpWatch(),
    entry: new EntryMemory(),
    risk: new RiskIndex(),
    observer: undefined,
    digest: new EffectsDigest(state.digest.lanes()),
  };
  return { ...state, ...parts };
}

/** Signed commands use up bindings and open the accounts of pegs; what is credited they only leave. */
function forkBridge(bridge: Bridge): Bridge {
  const parts: ObjectFields<Bridge> = {
    credited: bridge.credited,
    kept: bridge.kept,
    floors: bridge.floors,
    cursor: bridge.cursor,
    unusedAgents: new LayeredMap(bridge.unusedAgents),
    pegs: new LayeredMap(bridge.pegs),
    reserves: bridge.reserves,
  };
  return { ...bridge, ...parts };
}

function forkPerp(perp: Perp, pool: OrderPool): Perp {
  const day = new DayStats();
  const { buckets, previousClose } = perp.day.dump();
  day.restore(buckets, previousClose);
  const parts: ObjectFields<Perp> = {
    definition: perp.definition,
    tiers: perp.tiers,
    book: perp.book.fork(pool),
    day,
    funding: { ...perp.funding },
    holders: new LayeredMap(perp.holders),
    closing: perp.closing === undefined ? undefined : { ...perp.closing },
  };
  return { ...perp, ...parts };
}
