import { divCeil, divFloor, divHalfUp, formatDecimal, parseExact } from '@oddlot/units';
import { ValidationError } from '../errors.ts';
import type { InfoClient } from '../info/create-info.ts';

/** An instrument with its id, as used in orders, and its name. */
export type Instrument = {
  readonly id: number;
  /** The name, such as `BTC-USDC`, or the slug of an outcome market. */
  readonly name: string;
  /** The price and size increments, used by `onGrid`. */
  readonly priceTick: string;
  readonly sizeStep: string;
  readonly isOutcome: boolean;
};

/**
 * Finds instruments by name or id. `load` reads all perps. Outcome markets are requested on first
 * use, because there can be thousands of them.
 */
export class Instruments {
  readonly #info: InfoClient;
  readonly #byId = new Map<number, Instrument>();
  readonly #byName = new Map<string, Instrument>();

  private constructor(info: InfoClient) {
    this.#info = info;
  }

  /** Requests the perps of the venue. Call `reload` after a new listing. */
  static async load({ info }: { readonly info: InfoClient }): Promise<Instruments> {
    const instruments = new Instruments(info);
    await instruments.reload();
    return instruments;
  }

  async reload(): Promise<void> {
    const { universe } = await this.#info.perpMeta();
    for (const { index: id, name, baseCurrency, priceTick, szDecimals } of universe) {
      const sizeStep = formatDecimal(1, szDecimals);
      const perp = { id, name, priceTick, sizeStep, isOutcome: false };
      this.#add(perp);
      // A base currency without a quote currency selects its first perp.
      const isFirst = !this.#byName.has(baseCurrency.toUpperCase());
      if (isFirst) this.#byName.set(baseCurrency.toUpperCase(), perp);
    }
  }

  /** Returns the perps ordered by id. */
  get perps(): readonly Instrument[] {
    return [...this.#byId.values()]
      .filter(({ isOutcome }) => !isOutcome)
      .sort((a, b) => a.id - b.id);
  }

  /** Finds a perp by its id or name, or an outcome market by its id or slug. */
  async find(idOrName: number | string): Promise<Instrument> {
    const known = this.known(idOrName);
    if (known !== undefined) return known;
    const query =
      typeof idOrName === 'number' ? { instrumentIds: [idOrName] } : { marketSlugs: [idOrName] };
    const { events } = await this.#info.outcomeMeta({ ...query, status: 'all' });
    for (const market of events.flatMap(({ markets }) => markets)) {
      this.#add({
        id: market.instrument_id,
        name: market.slug,
        priceTick: market.price_tick,
        sizeStep: formatDecimal(1, market.size_decimals),
        isOutcome: true,
      });
    }
    const found = this.known(idOrName);
    if (found !== undefined) return found;
    const names = this.perps.map(({ name }) => name).join(', ');
    throw new ValidationError(`Unknown instrument ${idOrName}. Perps: ${names}`);
  }

  /**
   * Looks up an instrument without sending a request. The result is undefined if the instrument has
   * not been requested yet.
   */
  known(idOrName: number | string): Instrument | undefined {
    return typeof idOrName === 'number'
      ? this.#byId.get(idOrName)
      : this.#byName.get(idOrName.toUpperCase());
  }

  #add(instrument: Instrument): void {
    this.#byId.set(instrument.id, instrument);
    this.#byName.set(instrument.name.toUpperCase(), instrument);
  }
}

/**
 * The direction in which a value between two grid points is rounded; `nearest` rounds halves away
 * from zero.
 */
export type GridDirection = 'down' | 'up' | 'nearest';

/** The maximum number of decimals, more than any price or size on a venue has. */
const DECIMALS = 18;
const DIVIDE = { down: divFloor, up: divCeil, nearest: divHalfUp } as const;

/**
 * Rounds a price or a size to the grid of its instrument. The caller selects the direction: a buyer
 * who rounds up pays more than intended, and a larger size may exceed the available funds.
 *
 *     onGrid('100.07', '0.05', 'down') // '100.05'
 *
 * @throws ValidationError if the text is not a decimal
 */
export function onGrid(value: string, step: string, direction: GridDirection): string {
  const units = exact(value);
  const stepUnits = exact(step);
  if (stepUnits <= 0n) throw new ValidationError(`Invalid step: ${step}. Use a value above zero`);
  return formatDecimal(DIVIDE[direction](units, stepUnits) * stepUnits, DECIMALS);
}

/**
 * Increases or decreases a decimal string by a percentage. The result is exact up to 18 decimals.
 */
export function withPercent(value: string, percent: string): string {
  return formatDecimal(
    divFloor(exact(value) * (exact('100') + exact(percent)), exact('100')),
    DECIMALS,
  );
}

function exact(text: string): bigint {
  const units = parseExact(text, DECIMALS);
  if (units === undefined) throw new ValidationError(`Not a decimal number: ${text}`);
  return units;
}
