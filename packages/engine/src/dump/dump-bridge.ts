import { type Address, type Hash, usdcFromText } from '@oddlot/units';
import type { DepositSource } from '../messages/command.ts';
import { type Bridge, createBridge, depositKey, type Reserves } from '../state/bridge.ts';

/** What the venue knows of the settlement chain. A venue without a bridge has none of it. */
export type BridgeDump = {
  readonly chainId: number;
  readonly contract: Address;
  readonly token: Address;
  /** In the order of crediting. */
  readonly credited: readonly (readonly [
    chainId: number,
    txHash: Hash,
    logIndex: number,
    blockNumber: number,
    account: Address,
    amount: string,
  ])[];
  /** In the order of telling; absent for none. */
  readonly kept?: readonly (readonly [
    chainId: number,
    txHash: Hash,
    logIndex: number,
    blockNumber: number,
  ])[];
  /** By chain. */
  readonly floors: readonly (readonly [chainId: number, blockNumber: number, logIndex: number])[];
  readonly creditedTotal: string;
  readonly cursor: readonly [blockNumber: number, logIndex: number];
  readonly bookedBlock: number;
  /** By address. */
  readonly unusedAgents: readonly Address[];
  /** In the order of registering. */
  readonly pegs: readonly Address[];
  readonly reserves: Reserves | null;
};

export function dumpBridge(bridge: Bridge): BridgeDump {
  const { chainId, contract, credited, cursor, floors, kept, pegs, token, unusedAgents } = bridge;
  return {
    chainId,
    contract,
    token,
    credited: [...credited.values()].map((each) => [
      each.chainId,
      each.txHash,
      each.logIndex,
      each.blockNumber,
      each.account,
      String(each.amount),
    ]),
    ...(kept.size === 0 ? {} : { kept: [...kept.values()].map(placeOf) }),
    floors: [...floors]
      .map(([chain, { blockNumber, logIndex }]) => [chain, blockNumber, logIndex] as const)
      .sort(([a], [b]) => a - b),
    creditedTotal: String(bridge.creditedTotal),
    cursor: [cursor.blockNumber, cursor.logIndex],
    bookedBlock: bridge.bookedBlock,
    unusedAgents: [...unusedAgents.keys()].sort((a, b) => (a < b ? -1 : 1)),
    pegs: [...pegs.keys()],
    reserves: bridge.reserves ?? null,
  };
}

function placeOf({ blockNumber, chainId, logIndex, txHash }: DepositSource) {
  return [chainId, txHash, logIndex, blockNumber] as const;
}

export function restoreBridge(plain: BridgeDump | undefined): Bridge | undefined {
  if (plain === undefined) return undefined;
  const bridge = createBridge(plain);
  for (const [chainId, txHash, logIndex, blockNumber, account, amount] of plain.credited) {
    const source = { chainId, txHash, logIndex, blockNumber };
    bridge.credited.set(depositKey(source), { ...source, account, amount: usdcFromText(amount) });
  }
  for (const [chainId, txHash, logIndex, blockNumber] of plain.kept ?? []) {
    const source = { chainId, txHash, logIndex, blockNumber };
    bridge.kept.set(depositKey(source), source);
  }
  for (const [chainId, blockNumber, logIndex] of plain.floors) {
    bridge.floors.set(chainId, { blockNumber, logIndex });
  }
  bridge.creditedTotal = usdcFromText(plain.creditedTotal);
  const [blockNumber, logIndex] = plain.cursor;
  bridge.cursor = { blockNumber, logIndex };
  bridge.bookedBlock = plain.bookedBlock;
  for (const agent of plain.unusedAgents) bridge.unusedAgents.set(agent, true);
  for (const peg of plain.pegs) bridge.pegs.set(peg, true);
  bridge.reserves = plain.reserves ?? undefined;
  return bridge;
}
