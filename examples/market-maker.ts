import {
  AccountView,
  Instruments,
  limitOrder,
  LocalBook,
  onGrid,
  placeOrders,
  type Client,
  type Instrument,
  type OrderEntry,
} from '@oddlot/sdk';
import { connect } from './connect.ts';

/**
 * Quotes both sides of a perp around the mid of its book, or around the mark if there are no other
 * quotes. The larger the position, the further the quotes are shifted to reduce it. At the maximum
 * position, only one side is quoted. A quote that crosses another order executes as a taker. A
 * post-only quote would be rejected while that order rests, and the maker would miss trades at fair
 * prices. A dead man's switch cancels all quotes if the program stops.
 */

type Terms = {
  /** The distance between the mid and a quote, as a fraction of the price. */
  readonly halfSpread: number;
  readonly size: number;
  readonly positionMax: number;
};

/**
 * Returns one or both orders. The shift is linear: at the maximum position, a quote is at the mid.
 */
export function quotes(
  { id: asset, priceTick, sizeStep }: Instrument,
  middle: number,
  position: number,
  { halfSpread, size, positionMax }: Terms,
): OrderEntry[] {
  const lean = position / positionMax;
  const text = (value: number) => value.toFixed(8);
  const step = onGrid(text(size), sizeStep, 'down');
  const bid = onGrid(text(middle * (1 - halfSpread * (1 + lean))), priceTick, 'down');
  const ask = onGrid(text(middle * (1 + halfSpread * (1 - lean))), priceTick, 'up');
  const buy = limitOrder({ asset, side: 'buy', price: bid, size: step });
  const sell = limitOrder({ asset, side: 'sell', price: ask, size: step });
  return [...(position < positionMax ? [buy] : []), ...(position > -positionMax ? [sell] : [])];
}

export class MarketMaker {
  readonly #client: Client;
  readonly #instrument: Instrument;
  readonly #terms: Terms;
  readonly #book: LocalBook;
  readonly #account: AccountView;

  constructor(client: Client, instrument: Instrument, terms: Terms) {
    this.#client = client;
    this.#instrument = instrument;
    this.#terms = terms;
    this.#book = new LocalBook(client, instrument.id);
    this.#account = new AccountView(client, { user: client.wallet!.address });
  }

  get isReady(): boolean {
    return this.#book.isReady && this.#account.isReady;
  }

  /**
   * Cancels the old quotes and places new ones. If the program stops for a minute, the venue
   * cancels them.
   */
  async requote(nowMs: number): Promise<void> {
    const { exchange } = this.#client;
    await exchange.scheduleCancel({ time: nowMs + 60_000 });
    await exchange.cancelAll({ asset: this.#instrument.id }, { confirm: 'executed' });
    const own = new Set(this.#account.orders.map(({ limitPx }) => limitPx));
    const best = (levels: LocalBook['bids']) => levels.find(({ px, n }) => n > 1 || !own.has(px));
    const [bid, ask] = [best(this.#book.bids), best(this.#book.asks)];
    const isAlone = bid === undefined || ask === undefined;
    const middle = isAlone
      ? await markOf(this.#client, this.#instrument)
      : (Number(bid.px) + Number(ask.px)) / 2;
    const position = Number(this.#account.size(this.#instrument.id));
    await placeOrders(this.#client, quotes(this.#instrument, middle, position, this.#terms));
  }

  close(): void {
    this.#book.close();
    this.#account.close();
  }
}

/** Returns the mark price as reported by the venue. */
async function markOf({ info, wallet }: Client, { id }: Instrument): Promise<number> {
  const { markPx } = await info.activeAssetData({ user: wallet!.address, coin: String(id) });
  return Number(markPx);
}

const QUOTE_USDC = 1_000;
const POSITION_USDC = 10_000;

if (import.meta.main) {
  const client = connect();
  const instruments = await Instruments.load(client);
  const names = process.argv.length > 2 ? process.argv.slice(2) : ['BTC'];
  const makers = await Promise.all(
    names.map(async (name) => {
      const instrument = await instruments.find(name);
      const mark = await markOf(client, instrument);
      const sizes = { size: QUOTE_USDC / mark, positionMax: POSITION_USDC / mark };
      return new MarketMaker(client, instrument, { halfSpread: 0.0005, ...sizes });
    }),
  );
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    for (const maker of makers.filter(({ isReady }) => isReady)) {
      // After a failed round, the dead man's switch stays set and the next round tries again.
      await maker.requote(Date.now()).catch((error) => console.error(error.message));
    }
  }
}
