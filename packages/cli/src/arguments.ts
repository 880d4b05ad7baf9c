import type { Reader } from '@oddlot/sdk';
import { CliError } from './cli-error.ts';
import { readFileSync } from 'node:fs';

export type Instrument = {
  readonly id: number;
  readonly name: string;
  readonly tick: string;
  /** True for shares of an outcome market, false for a perp. */
  readonly isOutcome: boolean;
};

/**
 * Finds an instrument by its id, by the name or base of a perp, or by the slug of an event with one
 * market.
 */
export async function findInstrument(
  { info }: Pick<Reader, 'info'>,
  text: string,
): Promise<Instrument> {
  const { universe } = await info.perpMeta();
  const upperCase = text.toUpperCase();
  const perp = universe.find(
    ({ baseCurrency, index, name }) =>
      name.toUpperCase() === upperCase ||
      baseCurrency.toUpperCase() === upperCase ||
      String(index) === text,
  );
  if (perp !== undefined) {
    return { id: perp.index, name: perp.name, tick: perp.priceTick, isOutcome: false };
  }
  const { events } = await info.outcomeMeta({ status: 'open' });
  const markets = events.flatMap((event) => event.markets.map((market) => ({ event, market })));
  const found = markets.filter(
    ({ event, market }) =>
      String(market.instrument_id) === text || market.slug === text || event.slug === text,
  );
  const [only] = found;
  if (only !== undefined && found.length === 1) {
    const { instrument_id: id, price_tick: tick, slug } = only.market;
    return { id, name: slug, tick, isOutcome: true };
  }
  const perps = universe.map(({ name }) => name).join(', ');
  const why =
    found.length > 1
      ? `Event ${text} has ${found.length} markets. Pass the slug of one of them`
      : `There is no instrument ${text}`;
  throw new CliError(
    'usage',
    `${why}. Perps: ${perps}. \`oddlot outcomes\` lists outcome markets.`,
  );
}

export async function findPerp(reader: Pick<Reader, 'info'>, text: string): Promise<Instrument> {
  const found = await findInstrument(reader, text);
  if (!found.isOutcome) return found;
  throw new CliError('usage', `${found.name} is an outcome market. This command is for perps.`);
}

/** Parses a positive integer. `name` is the argument's name in errors, such as `--levels`. */
export function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (/^[0-9]+$/.test(text) && Number.isSafeInteger(value) && value > 0) return value;
  throw new CliError('usage', `Invalid ${name} "${text}". Use a whole number above zero.`);
}

/**
 * Parses a price, whose ticks and limits the venue checks. `name` is the argument's name in errors.
 */
export function decimalText(name: string, text: string): string {
  if (/^[0-9]+(?:\.[0-9]+)?$/.test(text)) return text;
  throw new CliError('usage', `Invalid ${name} "${text}". Use a decimal number.`);
}

/**
 * Reads a JSON file and checks that it has the required keys. The venue checks the remaining
 * content.
 */
export function readJsonFile<Value>(file: string, keys: readonly string[]): Value {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new CliError('usage', `Cannot read ${file}: ${(cause as Error).message}`, { cause });
  }
  const missing = keys.find(
    (key) => (value as Record<string, unknown> | null)?.[key] === undefined,
  );
  if (missing !== undefined) throw new CliError('usage', `${file} does not contain "${missing}"`);
  return value as Value;
}
