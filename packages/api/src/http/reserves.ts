import { bridgeView, type BridgeView } from '@oddlot/engine';
import {
  type PublishedReserves,
  refusal,
  type ReserveChain,
  type ReserveFigures as WireFigures,
  type Reserves,
  type ReservesProof,
} from '@oddlot/protocol';
import { type Address, formatMoney } from '@oddlot/units';
import type { Replica } from '@oddlot/replica/replica';
import { differenceOf, type TreeProof } from '@oddlot/history/reserves/read-proof';
import type { CurrentReserves, ReservesWorker } from '@oddlot/settlement/reserves/reserves-worker';
import type { InfoAnswer } from '@oddlot/translate/answer-info';

/**
 * Sources of the figures: the liabilities come from the state, and the reserves from a chain
 * reader.
 */

export type ReservesSource = {
  readonly replica: Pick<Replica, 'state'>;
  /** Undefined if there is no settlement chain. */
  readonly reserves?: Pick<ReservesWorker, 'current' | 'proof'> | undefined;
};

const HTTP_UNAVAILABLE = 503;

export function reserves({ replica, reserves: source }: ReservesSource): InfoAnswer {
  const bridge = bridgeView(replica.state);
  const current = source?.current;
  const data: Reserves = {
    chain: bridge === undefined ? null : chainOf(bridge),
    published: bridge?.reserves === undefined ? null : publishedOf(bridge.reserves),
    current: current === undefined ? null : currentOf(current),
  };
  return { ok: true, data };
}

/** Returns the proof for an address, which is public like all account data. */
export async function reservesProof(
  { replica, reserves: source }: ReservesSource,
  user: Address,
): Promise<InfoAnswer> {
  const proof = await source?.proof(user);
  const bridge = bridgeView(replica.state);
  // No reserves have been published yet.
  if (proof === undefined || bridge?.reserves === undefined) return { ok: true, data: null };
  if (proof === 'missing') {
    const why = 'the tree is built again';
    return { ok: false, error: refusal('unavailable', [], { why }, HTTP_UNAVAILABLE) };
  }
  const published = publishedOf(bridge.reserves);
  return { ok: true, data: proofOf(proof, { chain: chainOf(bridge), published, user }) };
}

function chainOf({ chainId, contract, token }: BridgeView): ReserveChain {
  return { chainId, bridge: contract, token };
}

function currentOf(current: CurrentReserves): WireFigures {
  const { balance, blockNumber, height, keptAside, owed, timeMs, unbacked, unsettled } = current;
  return {
    height,
    time: timeMs,
    owed: formatMoney(owed),
    blockNumber,
    balance: formatMoney(balance),
    keptAside: formatMoney(keptAside),
    assets: formatMoney(balance - keptAside),
    unsettled: formatMoney(unsettled),
    unbacked: formatMoney(unbacked),
    difference: formatMoney(differenceOf(current)),
  };
}

function publishedOf(published: NonNullable<BridgeView['reserves']>): PublishedReserves {
  const { blockNumber, height, leaves, publishedMs, root } = published;
  const liabilities = BigInt(published.liabilitiesMicroUsdc);
  const shortfall = BigInt(published.shortfallMicroUsdc);
  const keptAside = BigInt(published.keptAsideMicroUsdc);
  return {
    ...currentOf({
      height,
      timeMs: publishedMs,
      owed: liabilities - shortfall,
      blockNumber,
      balance: BigInt(published.assetsMicroUsdc) + keptAside,
      keptAside,
      unsettled: BigInt(published.unsettledMicroUsdc),
      unbacked: BigInt(published.unbackedMicroUsdc),
    }),
    root,
    leaves,
    liabilities: formatMoney(liabilities),
    shortfall: formatMoney(shortfall),
  };
}

function proofOf(
  proof: TreeProof,
  of: Pick<ReservesProof, 'chain' | 'published' | 'user'>,
): ReservesProof {
  const [perp = 0n, outcome = 0n, withdrawHold = 0n, rewards = 0n] = proof.parts;
  return {
    ...of,
    amount: formatMoney(perp + outcome + withdrawHold + rewards),
    parts: {
      perp: formatMoney(perp),
      outcome: formatMoney(outcome),
      withdrawHold: formatMoney(withdrawHold),
      rewards: formatMoney(rewards),
    },
    salt: proof.salt,
    index: proof.index,
    siblings: proof.siblings.map(({ hash, sum }) => ({ hash, sum: formatMoney(sum) })),
  };
}
