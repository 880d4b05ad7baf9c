import type { Command } from 'commander';
import { AccountView, createClient, LocalBook, type Client, type Trade } from '@oddlot/sdk';
import { CliError } from '../cli-error.ts';
import { findInstrument, wholeNumber } from '../arguments.ts';
import { table } from '../print.ts';
import type { GlobalOptions, ReadAccount, CommandContext } from '../command-context.ts';

type WatchOptions = GlobalOptions & {
  readonly levels: string;
  readonly account?: boolean | string;
  readonly updates?: string;
};

const TAPE_ROWS = 10;
const CLEAR = '\u001b[2J\u001b[H';
/** Limits redraws to a readable rate, in milliseconds. */
const DRAW_EVERY_MS = 100;

/** Returns the output as lines for a terminal and as a value for JSON. */
type Screen = () => { readonly lines: readonly string[]; readonly json: unknown } | undefined;

/** Adds the live view of a book and its trades, or of an account. */
export function addWatch(program: Command, around: CommandContext): void {
  program
    .command('watch')
    .summary('Watch an order book and its trades, or an account, live')
    .argument('[instrument]', 'A perp such as BTC, or the slug or id of an outcome market')
    .option('--account [address]', "Watch an account instead (default: your key's account)")
    .option('--levels <count>', 'Levels on each side', '10')
    .option('--updates <count>', 'Stop after this number of updates')
    .action(async (name: string | undefined, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<WatchOptions>();
      const { account } = options;
      if ((name === undefined) === (account === undefined)) {
        throw new CliError('usage', 'Pass either an instrument or --account.');
      }
      const count =
        options.updates === undefined ? Infinity : wholeNumber('--updates', options.updates);
      const levels = wholeNumber('--levels', options.levels);
      const client = createClient({ url: options.url });
      try {
        if (name === undefined) {
          const address = typeof account === 'string' ? account : undefined;
          const read = await around.accountOf(options, address);
          await watchAccount(client, read, new Drawing(options, count));
        } else {
          await watchBook(client, name, { levels, drawing: new Drawing(options, count) });
        }
      } finally {
        client.close();
      }
    });
}

async function watchBook(
  client: Client,
  name: string,
  { levels, drawing }: { readonly levels: number; readonly drawing: Drawing },
): Promise<void> {
  const instrument = await findInstrument(client, name);
  let tape: readonly Trade[] = [];
  const screen: Screen = () => {
    if (!book.isReady) return undefined;
    const [bids, asks] = [book.bids.slice(0, levels), book.asks.slice(0, levels)];
    const rows = [
      ...asks.toReversed().map(({ px, sz }) => ({ side: 'ask', price: px, size: sz })),
      ...bids.map(({ px, sz }) => ({ side: 'bid', price: px, size: sz })),
    ];
    const trades = tape.map(({ px, side, sz, time }) => ({
      time: new Date(time).toISOString().slice(11, 19),
      trade: side === 'B' ? 'buy' : 'sell',
      price: px,
      size: sz,
    }));
    const lines = [
      instrument.name,
      ...table(rows, 'The order book is empty'),
      '',
      ...table(trades, 'No trades yet'),
    ];
    return {
      lines,
      json: { coin: instrument.name, height: book.height, bids, asks, trades: tape },
    };
  };
  const book = new LocalBook(client, instrument.id, { onChange: () => drawing.draw(screen) });
  const trades = client.streams.trades({ coin: String(instrument.id) }, (event) => {
    if (event.type === 'reset') return;
    tape = [...event.data.toReversed(), ...(event.isSnapshot ? [] : tape)].slice(0, TAPE_ROWS);
    drawing.draw(screen);
  });
  await Promise.race([
    Promise.all([book.ready, trades.ready]).then(() => drawing.done),
    drawing.done,
  ]);
}

async function watchAccount(client: Client, account: ReadAccount, drawing: Drawing): Promise<void> {
  const { agent, user } = account;
  const screen: Screen = () => {
    const { orders, positions, state } = view;
    const held = positions.map(({ position }) => ({
      market: position.coin,
      size: position.szi,
      entry: position.entryPx,
      mark: position.markPx,
      profit: position.unrealizedPnl,
    }));
    const resting = orders.map(({ limitPx, oid, side, symbol, sz }) => ({
      order: String(oid),
      market: symbol,
      side: side === 'B' ? 'buy' : 'sell',
      size: sz,
      price: limitPx,
    }));
    const worth = state?.marginSummary.accountValue ?? '0';
    const via = agent === undefined ? '' : `  (via agent key "${agent.key}")`;
    const lines = [
      `${user}  ${worth} USDC${via}`,
      ...table(held, 'No positions'),
      '',
      ...table(resting, 'No orders'),
    ];
    return { lines, json: { ...account, state, orders } };
  };
  const view = new AccountView(client, { user, onChange: () => drawing.draw(screen) });
  await view.ready;
  await drawing.done;
}

/** Draws only the newest state, and ends after the given number of updates. */
class Drawing {
  readonly done: Promise<void>;
  readonly #isJson: boolean;
  #left: number;
  #end: () => void = () => undefined;
  #isWaiting = false;

  constructor({ json }: GlobalOptions, count: number) {
    this.#isJson = json === true;
    this.#left = count;
    this.done = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  draw(screen: Screen): void {
    if (this.#left === 0 || this.#isWaiting) return;
    this.#isWaiting = true;
    setTimeout(() => {
      this.#isWaiting = false;
      const drawn = screen();
      if (drawn === undefined) return;
      const text = this.#isJson ? JSON.stringify(drawn.json) : drawn.lines.join('\n');
      process.stdout.write(`${!this.#isJson && process.stdout.isTTY ? CLEAR : ''}${text}\n`);
      this.#left -= 1;
      if (this.#left === 0) this.#end();
    }, DRAW_EVERY_MS);
  }
}
