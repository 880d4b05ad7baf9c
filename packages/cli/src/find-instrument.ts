import type { Reader } from '@oddlot/sdk';
import { CliError } from './cli-error.ts';

/** What is traded, as orders name it. */
export type Instrument = {
  readonly id: number;
  readonly name: string;
  readonly tick: string;
  /** Shares of an outcome market, or a perp. */
  readonly isOutcome: boolean;
};

/** By its id, by the name or base of a perp, or by the slug of an event with one market. */
export async function findInstrument(
  { info }: Pick<Reader, 'info'>,
  text: string,
): Promise<Instrument> {
  const { universe } = await info.perpMeta();
  const wanted = text.toUpperCase();
  const perp = universe.find(
    ({ baseCurrency, index, name }) =>
      name.toUpperCase() === wanted ||
      baseCurrency.toUpperCase() === wanted ||
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

/** The same, for what only perps have. */
export async function findPerp(reader: Pick<Reader, 'info'>, text: string): Promise<Instrument> {
  const found = await findInstrument(reader, text);
  if (!found.isOutcome) return found;
  throw new CliError('usage', `${found.name} is an outcome market. This command is for perps.`);
}
