import { expect } from 'vitest';
import type { Actor } from '../support/actors.ts';
import { eventually, type Client, type Json } from '../support/client.ts';
import { absolute, exact, MICRO, show, sum, times, type Exact } from '../support/exact.ts';
import type { Market } from '../support/market.ts';
import type { Rester, Sent } from './load.ts';

export type Audited = { readonly sent: Sent; readonly receipt: Json };

const ASKED_AT_ONCE = 16;

export async function receiptsOf(client: Client, sent: readonly Sent[]): Promise<Audited[]> {
  const audited: Audited[] = [];
  for (let start = 0; start < sent.length; start += ASKED_AT_ONCE) {
    const some = sent.slice(start, start + ASKED_AT_ONCE);
    const receipts = await Promise.all(some.map((one) => receiptOf(client, one)));
    for (const [index, one] of some.entries())
      audited.push({ sent: one, receipt: receipts[index] });
  }
  return audited;
}

async function receiptOf(client: Client, sent: Sent): Promise<Json> {
  return eventually(async () => {
    const receipt = await client.data({ type: 'actionStatus', txHash: sent.signed.txHash });
    expect(['executed', 'failed', 'unknown']).toContain(receipt.status);
    return receipt;
  });
}

/** Checks that each acknowledged action exists, with the acknowledged result. */
export function expectAcknowledgedKept(audited: readonly Audited[]): void {
  for (const { sent, receipt } of audited) {
    if (sent.acknowledged === undefined) continue;
    const what = `${sent.kind} ${sent.signed.txHash} of ${sent.actor.name}`;
    expect(['executed', 'failed'], what).toContain(receipt.status);
    if (!sent.confirm) continue;
    expect(receipt.block.height, what).toBe(sent.acknowledged.height);
    expect(receipt.result, what).toEqual({
      type: sent.acknowledged.data.type,
      ...sent.acknowledged.data.data,
    });
  }
}

/** Checks that for each batch either all orders exist or none do. */
export function expectWholeBatches(
  audited: readonly Audited[],
  openByActor: ReadonlyMap<Actor, ReadonlySet<string>>,
): void {
  for (const { sent, receipt } of audited) {
    if (sent.kind !== 'batch') continue;
    if (receipt.status === 'unknown') {
      const open = openByActor.get(sent.actor)!;
      expect(sent.cloids.filter((cloid) => open.has(cloid))).toEqual([]);
    } else {
      expect(receipt.result.orders.map((entry: Json) => entry.cloid)).toEqual(sent.cloids);
    }
  }
}

/**
 * Returns the client order ids that rest according to the receipts: their orders were placed and
 * executed, but not cancelled.
 */
export function restingBy(rester: Rester, history: readonly Audited[]): Set<string> {
  const resting = new Set<string>();
  const cancelled = new Set<string>();
  for (const { sent, receipt } of history) {
    if (sent.actor !== rester.actor || receipt.status === 'unknown') continue;
    for (const entry of receipt.result.orders as Json[]) {
      const cloid = sent.cloids[entry.i]!;
      if (sent.kind === 'cancel') {
        if (entry.error === null) cancelled.add(cloid);
      } else if (entry.state === 'open') {
        resting.add(cloid);
      }
    }
  }
  return new Set([...resting].filter((cloid) => !cancelled.has(cloid)));
}

export async function openCloids(actor: Actor): Promise<Set<string>> {
  return new Set((await actor.openOrders()).map((row) => row.cloid));
}

export function fillsIn(history: readonly Audited[]): Json[] {
  return history
    .filter(({ sent, receipt }) => sent.kind === 'trade' && receipt.status !== 'unknown')
    .flatMap(({ receipt }) => receipt.result.orders as Json[])
    .filter((entry) => exact(entry.filledSz) > 0n);
}

/**
 * R-conservation: checks through the API that the deposits equal the balances of all accounts,
 * without unrealised PnL, plus the fees of all trades. Fees are rounded up once per order and role,
 * which bounds the difference.
 */
export async function expectMoneyConserved(
  actors: readonly Actor[],
  market: Market,
  history: readonly Audited[],
  deposited: Exact,
): Promise<void> {
  const states = await Promise.all(actors.map((actor) => actor.state()));
  const sizes = states.flatMap((state) =>
    state.assetPositions.map((entry: Json) => exact(entry.position.szi)),
  );
  expect(show(sum(sizes))).toBe('0');
  const held = sum(states.map((state) => exact(state.marginSummary.totalRawUsd)));
  const fills = fillsIn(history);
  const traded = sum(fills.map((entry) => times(exact(entry.filledSz), exact(entry.avgPx))));
  const fees = times(traded, market.takerRate + market.makerRate);
  const rounding = MICRO * BigInt(3 * fills.length + 10);
  const difference = absolute(deposited - held - fees);
  expect(difference <= rounding, `${show(deposited)} ${show(held)} ${show(fees)}`).toBe(true);
}
