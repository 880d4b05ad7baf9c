import { type Address, timeMs } from '@oddlot/units';
import { applyBlock } from '../../../packages/engine/src/apply-block.ts';
import { dump, restore, type StateDump } from '../../../packages/engine/src/dump/dump.ts';
import { checkInvariants } from '../../../packages/engine/src/check-invariants.ts';
import type { BlockResult, CommandResult } from '../../../packages/engine/src/messages/block.ts';
import type {
  Command,
  Grouping,
  OrderRequest,
  TriggerRequest,
} from '../../../packages/engine/src/messages/command.ts';
import { createState } from '../../../packages/engine/src/state/state.ts';
import { order, type OrderShape, type Scenario } from './scenario.ts';
import type { Unsigned } from './signed-for.ts';

/** Returns a trigger order for the test perp, by default a reduce-only stop-market sell. */
export function waiting(
  condition: Partial<TriggerRequest> & { readonly price: number },
  shape: Partial<OrderShape> = {},
): OrderRequest {
  return order({
    isBuy: false,
    reduceOnly: true,
    price: condition.price,
    size: 100,
    ...shape,
    trigger: { kind: 'stopLoss', isMarket: true, ...condition },
  });
}

export function act(scenario: Scenario, signer: Address, command: Unsigned): BlockResult {
  return scenario.block(sign(scenario, signer, command));
}

export function sign(scenario: Scenario, signer: Address, command: Unsigned): Command {
  return { ...command, authority: scenario.authority(signer) } as Command;
}

export function group(
  scenario: Scenario,
  signer: Address,
  grouping: Grouping,
  ...orders: readonly OrderRequest[]
): CommandResult {
  return act(scenario, signer, { type: 'placeOrders', orders, grouping }).outcomes[0] ?? {};
}

/**
 * Returns the order results of a block as text, for example "4 cancelled siblingFilled" or "3 open
 * 40".
 */
export function orderResults({ events }: BlockResult): string[] {
  return events.flatMap((event) => {
    if (event.type === 'reverseJobChanged') {
      return [`${event.phase} ${event.closed} ${event.opened}`];
    }
    if (event.type !== 'orderUpdated') return [];
    const { cancelCause, order: shown, reject, status } = event;
    const why = cancelCause ?? reject?.reason ?? shown.remaining;
    return [`${shown.orderId} ${status}${status === 'filled' ? '' : ` ${why}`}`];
  });
}

/**
 * Replays the whole history on a second state that is dumped and restored before each block, and
 * compares the two. This shows that a restart at any block changes nothing.
 */
export function checkRestarts(scenario: Scenario): void {
  const lived = createState();
  let restarted = createState();
  let text = JSON.stringify(dump(restarted));
  for (const { commands, timeMs: at } of scenario.blocks) {
    restarted = restore(JSON.parse(text) as StateDump);
    const height = lived.height + 1;
    if (JSON.stringify(dump(restarted)) !== text) throw new Error(`dump ${height - 1} changed`);
    const block = { height, timeMs: timeMs(at), commands };
    const results = [applyBlock(lived, block), applyBlock(restarted, block)];
    checkInvariants(restarted);
    const [a, b] = results.map((result) => orderResults(result).join('; '));
    if (a !== b) throw new Error(`a restart before block ${height} changed: ${a} to ${b}`);
    const whole = JSON.stringify(dump(lived));
    text = JSON.stringify(dump(restarted));
    if (whole !== text) {
      throw new Error(`a restart before block ${height} changed ${whole} to ${text}`);
    }
  }
}
