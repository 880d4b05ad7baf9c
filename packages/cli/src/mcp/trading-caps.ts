import { join } from 'node:path';
import { lockDirectory } from '@oddlot/host/directory-lock';
import { readTextFile, writeWholeFile } from '@oddlot/host/durable';
import { formatDecimal, parseExact } from '@oddlot/units';
import { CliError } from '../cli-error.ts';

const DAY_MS = 86_400_000;
/** The number of decimals of values, which are in micro-USDC like all amounts of the venue. */
const USDC_DECIMALS = 6;
const MICRO = 10n ** BigInt(USDC_DECIMALS);

type Spent = { readonly timeMs: number; readonly value: string };
type SpentFile = { readonly version: 1; readonly orders: readonly Spent[] };

/**
 * The maximum value of a single order, and of all orders in the last 24 hours together, in USDC.
 */
type Caps = { readonly order: string; readonly day: string };

/**
 * Limits the value of the orders that a program places. Values are recorded in a file before an
 * order is sent, so that a restart does not reset the daily limit. An order that gets no response
 * counts as placed.
 */
export class TradingCaps {
  readonly #order: bigint;
  readonly #day: bigint;
  readonly #path: string;
  readonly #now: () => number;

  /** Locks the folder, because two processes could exceed the daily limit between them. */
  constructor(folder: string, caps: Caps, now: () => number = Date.now) {
    this.#order = microOf('--max-order', caps.order);
    this.#day = microOf('--max-day', caps.day);
    lockDirectory(folder);
    this.#path = join(folder, 'spent.json');
    this.#now = now;
  }

  /** Records the value of an order, or throws if it exceeds a cap. Returns a function that removes the record. */
  reserve(value: bigint): () => void {
    if (value > this.#order) {
      throw capError('order', `${usdc(value)} USDC`, `${usdc(this.#order)} USDC (--max-order)`);
    }
    const spent = this.#recent();
    const total = spent.reduce((sum, each) => sum + BigInt(each.value), 0n);
    if (total + value > this.#day) {
      const left = total > this.#day ? 0n : this.#day - total;
      const limit = `${usdc(left)} USDC left of ${usdc(this.#day)} USDC a day (--max-day)`;
      throw capError('order', `${usdc(value)} USDC`, limit);
    }
    const record: Spent = { timeMs: this.#now(), value: String(value) };
    this.#write([...spent, record]);
    return () => {
      const held = this.#recent();
      const at = held.findIndex(
        ({ timeMs, value: each }) => timeMs === record.timeMs && each === record.value,
      );
      this.#write(held.filter((_, index) => index !== at));
    };
  }

  /** Returns the value of the orders in the last 24 hours, and the cap for that period. */
  get day(): { readonly used: string; readonly cap: string } {
    const used = this.#recent().reduce((sum, each) => sum + BigInt(each.value), 0n);
    return { used: usdc(used), cap: usdc(this.#day) };
  }

  #recent(): readonly Spent[] {
    const text = readTextFile(this.#path);
    if (text === undefined) return [];
    const { orders } = JSON.parse(text) as SpentFile;
    return orders.filter(({ timeMs }) => timeMs > this.#now() - DAY_MS);
  }

  #write(orders: readonly Spent[]): void {
    const file: SpentFile = { version: 1, orders };
    writeWholeFile(this.#path, `${JSON.stringify(file)}\n`);
  }
}

const POSITIVE_DECIMAL = /^[0-9]+(?:\.[0-9]+)?$/;

/** Returns the value of an order in micro-USDC, rounded up. */
export function valueOf(price: string, size: string): bigint {
  const parts = [price, size].map((text) => {
    if (!POSITIVE_DECIMAL.test(text)) {
      throw new CliError('usage', `Invalid number "${text}". Use a decimal above zero.`);
    }
    const [whole = '', fraction = ''] = text.split('.');
    return { digits: BigInt(whole + fraction), decimals: fraction.length };
  });
  const digits = parts.reduce((product, each) => product * each.digits, 1n) * MICRO;
  const scale = 10n ** BigInt(parts.reduce((sum, each) => sum + each.decimals, 0));
  return (digits + scale - 1n) / scale;
}

function microOf(option: string, text: string): bigint {
  const value = parseExact(text, USDC_DECIMALS);
  if (value !== undefined && value > 0n) return BigInt(value);
  throw new CliError('usage', `Invalid ${option} "${text}". Use an amount in USDC above zero.`);
}

const usdc = (micro: bigint): string => formatDecimal(micro, USDC_DECIMALS);

function capError(what: string, got: string, limit: string): CliError {
  return new CliError('refused', `The ${what} of ${got} exceeds the limit: ${limit}. Not sent.`);
}
