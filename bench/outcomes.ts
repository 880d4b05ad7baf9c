import { applyBlock } from '@oddlot/engine';
import { createEngineFlow, stateAfter, type EngineFlow } from './engine-flow.ts';
import { createOutcomeFlow } from './outcome-flow.ts';
import {
  atMost,
  collectGarbage,
  cpuMs,
  median,
  medianRatio,
  same,
  show,
  sized,
  type Row,
  type Scale,
} from './report.ts';

/** What an order on an outcome market costs beside one on a perp, in alternating rounds. */

const TARGET = 1.3;

export async function outcomesSection(scale: Scale): Promise<readonly Row[]> {
  const orders = sized(scale, { full: 300_000, quick: 60_000, tiny: 500 });
  const rounds = sized(scale, { full: 6, quick: 4, tiny: 2 });
  const rows = [
    { ordersPerAction: 50, actionsPerBlock: 20, orders },
    { ordersPerAction: 1, actionsPerBlock: 200, orders: Math.ceil(orders / 2) },
  ];
  return rows.map((shape) => {
    const outcome = createOutcomeFlow(shape);
    const perp = createEngineFlow(shape);
    const [over, under] = [[] as number[], [] as number[]];
    for (let round = 0; round < rounds; round++) {
      const [ours, theirs] = [microseconds(outcome), microseconds(perp)];
      if (round === 0) continue;
      over.push(ours);
      under.push(theirs);
    }
    const { ordersPerAction } = shape;
    const words =
      `${show(median(over))} µs against ${show(median(under))} µs an operation; ` +
      `${show(outcome.trades)} against ${show(perp.trades)} trades`;
    const what = `outcome orders, ${ordersPerAction} an action, against perps`;
    return atMost(what, words, medianRatio(over, under), TARGET);
  });
}

/** The CPU time of a placed or cancelled order. */
function microseconds(flow: EngineFlow): number {
  const state = stateAfter(flow.setUp);
  collectGarbage();
  const ms = cpuMs(() => {
    for (const block of flow.blocks) applyBlock(state, block);
  });
  same('the digest after a log', state.digest.hex(), flow.digest);
  return (ms * 1_000) / (flow.orders + flow.cancels);
}
