import type { BuilderDrop, CommandResult, EntryResult } from '@oddlot/engine';
import { MESSAGES, type Warning } from '@oddlot/protocol';
import type { InstrumentLookup } from '../actions/instrument-lookup.ts';
import { formatPrice, formatSize } from '../format.ts';
import type { RequestCommand } from '../../block/request-command.ts';
import { scaleOf } from './entries.ts';

const PRICE_CLAMPED = 'PRICE_CLAMPED';
/** Told only to clients that asked for the result of the execution. */
export const REDUCE_ONLY_CLIPPED = 'REDUCE_ONLY_CLIPPED';
/** Told only to the others: whoever waits for the result finds it there. */
export const CANCEL_QUEUED = 'CANCEL_QUEUED';

/** What is not as the sender may think, although the action was accepted. */
export function warningsOf(
  command: RequestCommand,
  { agentReused, builderDrop, entries = [] }: CommandResult,
  instruments: InstrumentLookup,
): Warning[] {
  if (command.type === 'approveAgent') {
    return agentReused === true ? [agentReusedWarning(command.agent)] : [];
  }
  if (command.type === 'cancelByClientId') return queuedCancels(entries);
  if (command.type !== 'placeOrders') return [];
  const warnings: Warning[] = [];
  if (builderDrop !== undefined) warnings.push(builderFeeDropped(builderDrop));
  for (const [i, { clamped, clipped }] of entries.entries()) {
    if (clamped === undefined && clipped === undefined) continue;
    const scale = scaleOf(command, i, instruments);
    if (clamped !== undefined) {
      const details = { i, ...spanText(clamped, (price) => formatPrice(scale, price)) };
      const message = 'The price was moved towards the mark';
      warnings.push({ code: PRICE_CLAMPED, message, details });
    }
    if (clipped !== undefined) {
      const details = { i, ...spanText(clipped, (size) => formatSize(scale, size)) };
      const message = 'The reduce-only size was cut to the position';
      warnings.push({ code: REDUCE_ONLY_CLIPPED, message, details });
    }
  }
  return warnings;
}

/** R-nonce: what a former agent's key signed ahead of its time can't be told from what it signs now. */
function agentReusedWarning(agent: string): Warning {
  const message =
    'The address was an agent before; actions that its key signed in advance can still ' +
    'be executed';
  return { code: 'AGENT_REUSED', message, details: { agent } };
}

/** R-delay: cancels of orders that wait in the delay queue. */
function queuedCancels(entries: readonly EntryResult[]): Warning[] {
  return entries.flatMap(({ reject }, i) => {
    if (reject?.reason !== 'orderQueued') return [];
    return [{ code: CANCEL_QUEUED, message: MESSAGES.orderQueued(), details: { i } }];
  });
}

/** R-builder: the order went on without the fee, for the first reason that applied. */
function builderFeeDropped({ reason, feeTenthsBp, allowedTenthsBp }: BuilderDrop): Warning {
  const details = { reason, f: feeTenthsBp, allowed: allowedTenthsBp };
  return { code: 'BUILDER_FEE_DROPPED', message: 'The builder fee was dropped', details };
}

function spanText(
  span: { readonly from: number; readonly to: number },
  text: (value: number) => string,
): { from: string; to: string } {
  return { from: text(span.from), to: text(span.to) };
}
