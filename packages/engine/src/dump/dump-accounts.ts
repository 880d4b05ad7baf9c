import { present, timeMs, usdcFromText } from '@oddlot/units';
import { byKey, byText } from '../collections/sorting.ts';
import { addApproval } from '../ledger/builders.ts';
import {
  type Account,
  createAccount,
  type Holding,
  holdingOf,
  type HoldingKey,
} from '../state/account.ts';
import { parametersOf } from '../state/execution.ts';
import { setSize } from '../state/holders.ts';
import type { Gate } from '../state/permissions.ts';
import { CROSS, isolatedKey } from '../state/liquidations.ts';
import type { State } from '../state/state.ts';
import { dumpOutcomeHoldings, restoreOutcomeHoldings } from './dump-outcome.ts';

export function dumpAccount(account: Account) {
  return {
    address: account.address,
    createdMs: account.createdMs,
    perpBalance: String(account.perpBalance),
    outcomeBalance: String(account.outcomeBalance),
    outcomeReserved: String(account.outcomeReserved),
    withdrawHold: String(account.withdrawHold),
    positionMode: account.positionMode,
    settings: [...account.settings]
      .sort(([a], [b]) => a - b)
      .map(
        ([id, { isIsolated, crossLeverage, isolatedLeverage }]) =>
          [id, isIsolated, crossLeverage, ...isolatedLeverage] as const,
      ),
    agents: byKey(account.agents).map(
      ([label, { agent, createdMs, updatedMs }]) => [label, agent, createdMs, updatedMs] as const,
    ),
    builders: byKey(account.builders).map(
      ([builder, { maxFeeE8, maxFeeText, updatedMs }]) =>
        [builder, maxFeeE8, maxFeeText, updatedMs] as const,
    ),
    multiSig: account.multiSig ?? null,
    holdings: [...account.holdings]
      .sort(([a], [b]) => a - b)
      .map(([, holding]) => dumpHolding(holding)),
    outcomes: dumpOutcomeHoldings(account),
    /** The days are in ascending order, oldest first. */
    volume: account.volume.days.map(({ day, notional }) => [day, String(notional)] as const),
  };
}

function dumpHolding(holding: Holding) {
  const { allTime, sinceChange, sinceOpen } = holding.funding;
  return [
    holding.perp.definition.instrumentId,
    holding.leg,
    holding.size,
    String(holding.cost),
    String(holding.isolatedMargin),
    holding.updatedMs,
    String(holding.feesPaid),
    String(holding.realised),
    [String(allTime), String(sinceOpen), String(sinceChange)],
  ] as const;
}

export function restoreAccount(state: State, plain: ReturnType<typeof dumpAccount>): void {
  const account = createAccount(state.accounts.length, plain.address, timeMs(plain.createdMs));
  account.perpBalance = usdcFromText(plain.perpBalance);
  account.outcomeBalance = usdcFromText(plain.outcomeBalance);
  account.outcomeReserved = usdcFromText(plain.outcomeReserved);
  account.withdrawHold = usdcFromText(plain.withdrawHold);
  account.multiSig = plain.multiSig ?? undefined;
  for (const [builder, maxFeeE8, maxFeeText, updatedMs] of plain.builders) {
    account.builders.set(builder, { maxFeeE8, maxFeeText, updatedMs: timeMs(updatedMs) });
  }
  for (const [label, agent, createdMs, updatedMs] of plain.agents) {
    const record = { agent, createdMs: timeMs(createdMs), updatedMs: timeMs(updatedMs) };
    account.agents.set(label, record);
    state.agents.set(agent, { accountIndex: account.index, label });
  }
  account.positionMode = plain.positionMode;
  for (const [id, isIsolated, crossLeverage, long, short] of plain.settings) {
    account.settings.set(id, { isIsolated, crossLeverage, isolatedLeverage: [long, short] });
  }
  for (const holding of plain.holdings) restoreHolding(state, account, holding);
  restoreOutcomeHoldings(state, account, plain.outcomes);
  for (const [day, notional] of plain.volume) {
    account.volume.days.push({ day, notional: usdcFromText(notional) });
  }
  state.accounts.push(account);
  state.accountIndex.set(plain.address, account.index);
}

function restoreHolding(
  state: State,
  account: Account,
  plain: ReturnType<typeof dumpHolding>,
): void {
  const [id, leg, size, cost, isolatedMargin, updatedMs, feesPaid, realised, funding] = plain;
  const perp = present(state.perps.get(id), 'a listed perp');
  const holding = holdingOf(account, perp, leg, parametersOf(state).defaultLeverage);
  setSize(state, holding, size);
  holding.cost = usdcFromText(cost);
  holding.isolatedMargin = usdcFromText(isolatedMargin);
  holding.updatedMs = timeMs(updatedMs);
  holding.feesPaid = usdcFromText(feesPaid);
  holding.realised = usdcFromText(realised);
  const [allTime, sinceOpen, sinceChange] = funding;
  holding.funding.allTime = usdcFromText(allTime);
  holding.funding.sinceOpen = usdcFromText(sinceOpen);
  holding.funding.sinceChange = usdcFromText(sinceChange);
}

/** Returns vaults, access control, builder rewards and unsettled withdrawals as plain data. */
export function dumpKeys(state: State) {
  return {
    vaults: byKey(state.vaults).map(([vault, { leader, name, shares }]) => {
      const rows = byKey(shares).map(([user, count]) => [user, String(count)] as const);
      return [vault, leader, name, rows] as const;
    }),
    gates: [dumpGate(state.gates[0]), dumpGate(state.gates[1])] as const,
    /**
     * The list includes only builders that have earned fees; approvals are stored with the
     * accounts.
     */
    builderRewards: byKey(state.builderRewards)
      .filter(([, { earned }]) => earned > 0n)
      .map(([builder, { earned, claimed }]) => [builder, String(earned), String(claimed)] as const),
    orderBuilders: [...state.orderBuilders]
      .sort(([a], [b]) => a - b)
      .map(
        ([orderId, { address, feeTenthsBp, takerOwed, makerOwed }]) =>
          [orderId, address, feeTenthsBp, takerOwed, makerOwed] as const,
      ),
    withdrawals: [...state.withdrawals.values()]
      .sort((a, b) => a.withdrawalId - b.withdrawalId)
      .map(
        (each) =>
          [
            each.withdrawalId,
            each.accountIndex,
            String(each.amount),
            String(each.fee),
            each.destination,
            each.nonce,
            each.requestedMs,
          ] as const,
      ),
    nextWithdrawalId: state.nextWithdrawalId,
  };
}

/**
 * Restores the output of `dumpKeys`. It must run after the accounts are restored, because vaults
 * refer to them.
 */
export function restoreKeys(state: State, plain: ReturnType<typeof dumpKeys>): void {
  for (const [vault, leader, name, rows] of plain.vaults) {
    const shares = new Map(rows.map(([user, count]) => [user, BigInt(count)] as const));
    const totalShares = [...shares.values()].reduce((sum, count) => sum + count, 0n);
    const accountIndex = state.accountIndex.get(vault) ?? -1;
    state.vaults.set(vault, { accountIndex, leader, name, shares, totalShares });
  }
  restoreGate(state.gates[0], plain.gates[0]);
  restoreGate(state.gates[1], plain.gates[1]);
  for (const [builder, earned, claimed] of plain.builderRewards) {
    const rewards = { earned: usdcFromText(earned), claimed: usdcFromText(claimed), approvals: 0 };
    state.builderRewards.set(builder, rewards);
  }
  for (const { builders } of state.accounts) {
    for (const builder of builders.keys()) addApproval(state, builder);
  }
  for (const [orderId, address, feeTenthsBp, takerOwed, makerOwed] of plain.orderBuilders) {
    state.orderBuilders.set(orderId, { address, feeTenthsBp, takerOwed, makerOwed });
  }
  for (const [withdrawalId, accountIndex, amount, fee, ...rest] of plain.withdrawals) {
    const [destination, nonce, requestedMs] = rest;
    state.withdrawals.set(withdrawalId, {
      withdrawalId,
      accountIndex,
      amount: usdcFromText(amount),
      fee: usdcFromText(fee),
      destination,
      nonce,
      requestedMs: timeMs(requestedMs),
    });
  }
  state.nextWithdrawalId = plain.nextWithdrawalId;
}

function dumpGate(gate: Gate) {
  return {
    mode: gate.mode,
    whitelist: [...gate.whitelist].sort(byText),
    blacklist: [...gate.blacklist].sort(byText),
    codes: byKey(gate.codes).map(([code, { maxUses, uses }]) => [code, maxUses, uses] as const),
    grants: byKey(gate.grants).map(
      ([user, { code, grantedMs }]) => [user, code, grantedMs] as const,
    ),
  };
}

function restoreGate(gate: Gate, plain: ReturnType<typeof dumpGate>): void {
  gate.mode = plain.mode;
  for (const user of plain.whitelist) gate.whitelist.add(user);
  for (const user of plain.blacklist) gate.blacklist.add(user);
  for (const [code, maxUses, uses] of plain.codes) gate.codes.set(code, { maxUses, uses });
  for (const [user, code, grantedMs] of plain.grants) gate.grants.set(user, { code, grantedMs });
}

/**
 * Returns liquidations in progress, sorted by account and holding (`CROSS` stands for the cross
 * positions).
 */
export function dumpLiquidations(state: State) {
  return state.liquidations
    .all()
    .map(({ scope, progress }) => {
      const partials = [...progress.partials]
        .map(([key, { sinceMs, left }]) => [key, sinceMs, left] as const)
        .sort(([a], [b]) => a - b);
      const tried = [...progress.tried].sort((a, b) => a - b);
      const key = isolatedKey(scope.holding);
      return [scope.account.index, key, progress.nextMs, partials, tried] as const;
    })
    .sort(([a, keyA], [b, keyB]) => a - b || keyA - keyB);
}

export function restoreLiquidations(state: State, rows: ReturnType<typeof dumpLiquidations>): void {
  for (const [index, key, nextMs, partials, tried] of rows) {
    const account = present(state.accounts[index], 'an account under liquidation');
    const holding =
      key === CROSS
        ? undefined
        : present(account.holdings.get(key as HoldingKey), 'a position under liquidation');
    const progress = state.liquidations.start({ account, holding }, nextMs);
    for (const [part, sinceMs, left] of partials) progress.partials.set(part, { sinceMs, left });
    for (const each of tried) progress.tried.add(each);
  }
}

/**
 * Schedules a check of every margin account, because a restored state has not measured any of them.
 */
export function watchAllAccounts(state: State): void {
  for (const account of state.accounts) {
    state.risk.changed(account, undefined);
    for (const holding of account.holdings.values()) {
      if (holding.isIsolated && holding.size !== 0) state.risk.changed(account, holding);
    }
  }
}
