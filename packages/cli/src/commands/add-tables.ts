import type { Command } from 'commander';
import type { L2Book } from '@oddlot/sdk';
import { findInstrument } from '../find-instrument.ts';
import { print, table } from '../print.ts';
import type { GlobalOptions, Surroundings } from '../surroundings.ts';
import { wholeNumber } from '../whole-number.ts';

type Show = (
  around: Surroundings,
  options: GlobalOptions,
  user: string,
) => Promise<Parameters<typeof print>[0]>;

/** What an account has and did, and what stands in a book. */
export function addTables(program: Command, around: Surroundings): void {
  const add = (name: string, summary: string, show: Show): void => {
    program
      .command(name)
      .summary(summary)
      .argument('[address]', 'whose; by default those of your key')
      .action(async (address: string | undefined, _: unknown, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions>();
        print(await show(around, options, around.userOf(options, address)), options.json);
      });
  };
  add('positions', 'positions, their profit and their margin', positionsOf);
  add('orders', 'orders that rest', ordersOf);
  add('fills', 'what was traded, newest first', fillsOf);
  program
    .command('book')
    .summary('the book of an instrument')
    .argument('<instrument>')
    .option('--levels <count>', 'on each side', '10')
    .action(async (name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { levels: string }>();
      const reader = around.reader(options);
      const instrument = await findInstrument(reader, name);
      const book = await reader.info.l2Book({ coin: String(instrument.id) });
      const count = wholeNumber(options.levels);
      const side = (levels: L2Book['levels'][0], what: string) =>
        levels.slice(0, count).map(({ px, sz }) => ({ side: what, price: px, size: sz }));
      const rows = [...side(book.levels[1], 'ask').toReversed(), ...side(book.levels[0], 'bid')];
      print(
        { json: book, lines: table(rows, `the book of ${instrument.name} is empty`) },
        options.json,
      );
    });
}

const positionsOf: Show = async (around, options, user) => {
  const { info } = around.reader(options);
  const [state, shares] = await Promise.all([
    info.clearinghouseState({ user }),
    info.outcomePositions({ user }),
  ]);
  const perps = state.assetPositions.map(({ position }) => ({
    instrument: position.coin,
    size: position.szi,
    entry: position.entryPx ?? '',
    profit: position.unrealizedPnl,
  }));
  const outcomes = shares.map(({ position }) => ({
    instrument: String(position.coin),
    size: position.szi,
    entry: position.entryPx ?? '',
    profit: '',
  }));
  const lines = table([...perps, ...outcomes], 'no positions');
  return {
    json: { perps: state, outcomes: shares },
    lines: [...lines, `withdrawable ${state.withdrawable} USDC`],
  };
};

const ordersOf: Show = async (around, options, user) => {
  const { info } = around.reader(options);
  const [perps, outcomes] = await Promise.all([
    info.frontendOpenOrders({ user }),
    info.outcomeFrontendOpenOrders({ user }),
  ]);
  const rows = [...perps, ...outcomes].map((order) => ({
    id: String(order.oid),
    instrument: String(order.coin),
    side: order.side === 'B' ? 'buy' : 'sell',
    size: order.sz,
    price: order.limitPx,
  }));
  return { json: { perps, outcomes }, lines: table(rows, 'no orders') };
};

const fillsOf: Show = async (around, options, user) => {
  const fills = await around.reader(options).info.userFills({ user });
  const rows = fills.map(({ coin, fee, px, side, sz, time }) => ({
    time: new Date(time).toISOString(),
    instrument: String(coin),
    side: side === 'B' ? 'buy' : 'sell',
    size: sz,
    price: px,
    fee,
  }));
  return { json: fills, lines: table(rows, 'no fills') };
};
