import { applyBlock, type State } from '@oddlot/engine';
import { createEngineFlow, stateAfter, type EngineFlow } from './engine-flow.ts';
import {
  atLeast,
  collectGarbage,
  cpuMs,
  median,
  noted,
  same,
  show,
  sized,
  type Row,
  type Scale,
} from './report.ts';

/** The engine alone: validation, margin, matching, ledger, digest and events of a log. */

const TARGET = 250_000;

export async function engineSection(scale: Scale): Promise<readonly Row[]> {
  const orders = sized(scale, { full: 300_000, quick: 60_000, tiny: 500 });
  const rounds = sized(scale, { full: 6, quick: 4, tiny: 2 });
  const many = measure(createEngineFlow({ orders, ordersPerAction: 50 }), rounds);
  const single = measure(
    createEngineFlow({ orders: Math.ceil(orders / 2), ordersPerAction: 1, actionsPerBlock: 200 }),
    rounds,
  );
  return [
    atLeast('engine, 50-order actions', many.words, many.rate, TARGET, ' orders/s'),
    noted('engine, 1-order actions', single.words, single.rate, ' orders/s'),
  ];
}

function measure(flow: EngineFlow, rounds: number): { rate: number; words: string } {
  const spent: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const state = stateAfter(flow.setUp);
    collectGarbage();
    const ms = cpuMs(() => run(state, flow));
    same('the digest after a log', state.digest.hex(), flow.digest);
    if (round > 0) spent.push(ms);
  }
  const ms = median(spent);
  const { orders, cancels, trades } = flow;
  const words =
    `${show((ms * 1_000) / (orders + cancels))} µs an operation; ` +
    `${show(orders)} orders, ${show(cancels)} cancels, ${show(trades)} trades`;
  return { rate: (orders * 1_000) / ms, words };
}

function run(state: State, flow: EngineFlow): void {
  for (const block of flow.blocks) applyBlock(state, block);
}
