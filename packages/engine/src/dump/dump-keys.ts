import { type Address, timeMs, usdcFromText } from '@oddlot/units';
import { addApproval } from '../ledger/builders.ts';
import type { GateMode } from '../messages/command.ts';
import type { Gate } from '../state/keys.ts';
import type { State } from '../state/state.ts';

/** Vaults, gates, and money that is on its way: to builders or to the settlement chain. */
export type KeysDump = {
  /** By address. */
  readonly vaults: readonly VaultDump[];
  /** By channel. */
  readonly gates: readonly [GateDump, GateDump];
  /** Of those that have earned, by address; who is approved stands with the accounts. */
  readonly builderRewards: readonly (readonly [
    builder: Address,
    earned: string,
    claimed: string,
  ])[];
  /** By order id. */
  readonly orderBuilders: readonly OrderBuilderDump[];
  /** By id. */
  readonly withdrawals: readonly WithdrawalDump[];
  readonly nextWithdrawalId: number;
};

type VaultDump = readonly [
  vault: Address,
  leader: Address,
  name: string,
  /** By address. */
  shares: readonly (readonly [user: Address, shares: string])[],
];

type GateDump = {
  readonly mode: GateMode;
  /** Each sorted. */
  readonly whitelist: readonly Address[];
  readonly blacklist: readonly Address[];
  readonly codes: readonly (readonly [code: string, maxUses: number, uses: number])[];
  readonly grants: readonly (readonly [user: Address, code: string, grantedMs: number])[];
};

type OrderBuilderDump = readonly [
  orderId: number,
  builder: Address,
  feeTenthsBp: number,
  takerOwed: number,
  makerOwed: number,
];

type WithdrawalDump = readonly [
  withdrawalId: number,
  accountIndex: number,
  amount: string,
  fee: string,
  destination: Address,
  nonce: number,
  requestedMs: number,
];

export function dumpKeys(state: State): KeysDump {
  return {
    vaults: byKey([...state.vaults]).map(([vault, { leader, name, shares }]) => [
      vault,
      leader,
      name,
      byKey([...shares]).map(([user, count]) => [user, String(count)]),
    ]),
    gates: [dumpGate(state.gates[0]), dumpGate(state.gates[1])],
    builderRewards: byKey([...state.builderRewards])
      .filter(([, { earned }]) => earned > 0n)
      .map(([builder, { earned, claimed }]) => [builder, String(earned), String(claimed)]),
    orderBuilders: [...state.orderBuilders]
      .sort(([a], [b]) => a - b)
      .map(([orderId, { address, feeTenthsBp, takerOwed, makerOwed }]) => [
        orderId,
        address,
        feeTenthsBp,
        takerOwed,
        makerOwed,
      ]),
    withdrawals: [...state.withdrawals.values()]
      .sort((a, b) => a.withdrawalId - b.withdrawalId)
      .map((each) => [
        each.withdrawalId,
        each.accountIndex,
        String(each.amount),
        String(each.fee),
        each.destination,
        each.nonce,
        each.requestedMs,
      ]),
    nextWithdrawalId: state.nextWithdrawalId,
  };
}

/** After the accounts: vaults point at theirs. */
export function restoreKeys(state: State, plain: KeysDump): void {
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

function dumpGate(gate: Gate): GateDump {
  return {
    mode: gate.mode,
    whitelist: [...gate.whitelist].sort(byText),
    blacklist: [...gate.blacklist].sort(byText),
    codes: byKey([...gate.codes]).map(([code, { maxUses, uses }]) => [code, maxUses, uses]),
    grants: byKey([...gate.grants]).map(([user, { code, grantedMs }]) => [user, code, grantedMs]),
  };
}

function restoreGate(gate: Gate, plain: GateDump): void {
  gate.mode = plain.mode;
  for (const user of plain.whitelist) gate.whitelist.add(user);
  for (const user of plain.blacklist) gate.blacklist.add(user);
  for (const [code, maxUses, uses] of plain.codes) gate.codes.set(code, { maxUses, uses });
  for (const [user, code, grantedMs] of plain.grants) gate.grants.set(user, { code, grantedMs });
}

function byKey<Key extends string, Value>(
  entries: readonly (readonly [Key, Value])[],
): (readonly [Key, Value])[] {
  return [...entries].sort(([a], [b]) => byText(a, b));
}

function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
