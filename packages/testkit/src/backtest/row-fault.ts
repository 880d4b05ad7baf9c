import type { RecordedRow } from './recorded-row.ts';
import { candleFault, decimalOf, isFields } from './row-of.ts';

/** What is wrong with a row that a program made, where a file would have been refused for the same; undefined when nothing is. */
export function rowFault(row: unknown): string | undefined {
  if (!isFields(row)) return `${String(row)} is not a row`;
  const { timeMs } = row;
  if (!Number.isSafeInteger(timeMs)) return `Invalid timeMs ${String(timeMs)}. Use milliseconds`;
  return faultByKind(row as unknown as RecordedRow);
}

function faultByKind(row: RecordedRow): string | undefined {
  switch (row.kind) {
    case 'candle': {
      const { close, endMs, high, low, open, timeMs, volume } = row;
      const told = Object.entries({ open, high, low, close });
      const fault = firstOf(told.map(([what, value]) => decimalFault(value, what)));
      if (fault !== undefined) return fault;
      return decimalFault(volume, 'volume', true) ?? endFault(timeMs, endMs) ?? candleFault(row);
    }
    case 'trade':
      if (typeof row.isBuy !== 'boolean')
        return `Invalid isBuy ${String(row.isBuy)}. Use a boolean`;
      return decimalFault(row.price, 'price') ?? decimalFault(row.size, 'size');
    case 'book':
      return levelsFault(row.bids, 'bids') ?? levelsFault(row.asks, 'asks');
    case 'oracle':
      return decimalFault(row.price, 'oracle price');
    default: {
      const { kind } = row as { readonly kind?: unknown };
      return `Unknown kind of row ${String(kind)}. Use candle, trade, book or oracle`;
    }
  }
}

function endFault(timeMs: number, endMs: unknown): string | undefined {
  if (!Number.isSafeInteger(endMs)) return `Invalid endMs ${String(endMs)}. Use milliseconds`;
  return (endMs as number) > timeMs ? undefined : 'it ends before it begins';
}

function levelsFault(levels: unknown, side: string): string | undefined {
  if (!Array.isArray(levels)) return `its ${side} must be a list of levels`;
  // As in a file: a level of zero is one that has gone.
  return firstOf(
    levels.map((level: unknown) => {
      if (!isFields(level)) return 'a level of the book must be an object';
      return decimalFault(level['price'], 'price') ?? decimalFault(level['size'], 'size', true);
    }),
  );
}

function decimalFault(value: unknown, what: string, isZeroFine = false): string | undefined {
  if (typeof value === 'number') return `Invalid ${what} ${value}. Write it as text`;
  const told = decimalOf(value, what, isZeroFine);
  return typeof told === 'string' ? told : undefined;
}

function firstOf(faults: readonly (string | undefined)[]): string | undefined {
  return faults.find((fault) => fault !== undefined);
}
