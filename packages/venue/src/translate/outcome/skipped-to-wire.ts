import type { SkippedEntry } from '@oddlot/engine';
import { refusal, wireError, type WireError } from '@oddlot/protocol';
import type { RequestCommand } from '../../block/request-command.ts';

/** A price of a push that did not count, in the wire's words. */
export function skippedToWire(
  command: RequestCommand,
  { index, why }: SkippedEntry,
  nameOf: (instrumentId: number) => string,
): WireError {
  const field = `prices[${index}]`;
  if (command.type === 'pushPrice') return referenceToWire(command, { index, why });
  const price = command.type === 'pushOracle' ? command.prices[index] : undefined;
  const id = price?.instrumentId ?? 0;
  switch (why) {
    case 'instrumentUnknown':
      return refusal('instrumentNotFound', [], { field: `${field}.instrumentId`, got: id });
    case 'instrumentDelisted':
      return refusal('delisted', [nameOf(id)], { field: `${field}.instrumentId`, got: id });
    case 'priceOutOfRange':
      return refusal('priceOutOfRange', [], { field: `${field}.oraclePx` });
    case 'stale':
      return wireError('INVALID', 'stale', { field });
  }
}

/** A reference price has no instrument: its symbol stands for what it is about. */
function referenceToWire(
  { prices }: Extract<RequestCommand, { type: 'pushPrice' }>,
  { index, why }: SkippedEntry,
): WireError {
  const field = `prices[${index}]`;
  if (why === 'stale') return wireError('INVALID', 'stale', { field });
  if (why === 'priceOutOfRange') return refusal('priceOutOfRange', [], { field: `${field}.px` });
  const got = prices[index]?.symbol ?? null;
  return refusal('instrumentNotFound', [], { field: `${field}.symbol`, got });
}
