import type { Command } from 'commander';
import type { AssetPosition, L2Book, OpenOrder } from '@oddlot/sdk';
import { findInstrument, wholeNumber } from '../arguments.ts';
import { print, table } from '../print.ts';
import {
  ACCOUNT_ARGUMENT,
  type GlobalOptions,
  type ReadAccount,
  type CommandContext,
} from '../command-context.ts';

type Show = (
  around: CommandContext,
  options: GlobalOptions,
  account: ReadAccount,
) => Promise<Parameters<typeof print>[0]>;

/** Adds the commands that print tables for an account or a book. */
export function addTables(program: Command, around: CommandContext): void {
  const add = (name: string, summary: string, show: Show): void => {
    program
      .command(name)
      .summary(summary)
      .argument('[address]', ACCOUNT_ARGUMENT)
      .action(async (address: string | undefined, _: unknown, command: Command) => {
        const options = command.optsWithGlobals<GlobalOptions>();
        const account = await around.accountOf(options, address);
        print(await show(around, options, account), options.json);
      });
  };
  add('positions', 'List positions with their PnL and margin', positionsOf);
  add('orders', 'List open orders and trigger orders', ordersOf);
  add('fills', 'List fills, newest first', fillsOf);
  program
    .command('book')
    .summary('Show the order book of an instrument')
    .argument('<instrument>', 'A perp such as BTC, or the slug or id of an outcome market')
    .option('--levels <count>', 'Levels on each side', '10')
    .action(async (name: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions & { levels: string }>();
      const count = wholeNumber('--levels', options.levels);
      const reader = around.reader(options);
      const instrument = await findInstrument(reader, name);
      const book = await reader.info.l2Book({ coin: String(instrument.id) });
      const [bids, asks] = book.levels;
      const levels: L2Book['levels'] = [bids.slice(0, count), asks.slice(0, count)];
      const side = (rows: L2Book['levels'][0], what: string) =>
        rows.map(({ px, sz }) => ({ side: what, price: px, size: sz }));
      const rows = [...side(levels[1], 'ask').toReversed(), ...side(levels[0], 'bid')];
      const lines = table(rows, `The order book of ${instrument.name} is empty`);
      print({ json: { ...book, levels }, lines }, options.json);
    });
}

const positionsOf: Show = async (around, options, account) => {
  const { user } = account;
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
  const lines = table([...perps, ...outcomes], 'No positions');
  return {
    json: { ...account, perps: state, outcomes: shares },
    lines: [...lines, `Withdrawable: ${state.withdrawable} USDC`],
  };
};

const ordersOf: Show = async (around, options, account) => {
  const { user } = account;
  const { info } = around.reader(options);
  const [perps, outcomes, triggers, state] = await Promise.all([
    info.frontendOpenOrders({ user }),
    info.outcomeFrontendOpenOrders({ user }),
    info.triggerOrders({ user }),
    info.clearinghouseState({ user }),
  ]);
  const tpsl = state.assetPositions.filter((each) => each.tpsl.length > 0);
  const rows = [
    ...[...perps, ...outcomes].map((order) => orderRow(order, '')),
    ...triggers.map((order) => orderRow(order, order.triggerPx)),
    ...tpsl.flatMap(tpslRows),
  ];
  const json = { ...account, perps, outcomes, triggers, tpsl };
  return { json, lines: table(rows, 'No orders') };
};

type OrderRow = Pick<OpenOrder, 'coin' | 'limitPx' | 'oid' | 'orderType' | 'side' | 'sz'>;

function orderRow(order: OrderRow, trigger: string) {
  return {
    id: String(order.oid),
    instrument: order.coin,
    side: order.side === 'B' ? 'buy' : 'sell',
    size: order.sz,
    price: order.orderType === 'Market' ? 'market' : order.limitPx,
    trigger,
  };
}

/**
 * Returns a position's take-profit and stop-loss orders as two rows. A quantity of 0 means the
 * whole position.
 */
function tpslRows({ position, tpsl }: AssetPosition) {
  const row = (oid: string, limitPx: string, trigger: string, quantity: string) => ({
    id: oid,
    instrument: position.coin,
    side: position.szi.startsWith('-') ? 'buy' : 'sell',
    size: quantity === '0' ? 'position' : quantity,
    price: limitPx === '' ? 'market' : limitPx,
    trigger,
  });
  return tpsl
    .flatMap((pair) => [
      row(pair.tpOid, pair.tpOrderPrice, pair.tpTriggerPrice, pair.quantity),
      row(pair.slOid, pair.slOrderPrice, pair.slTriggerPrice, pair.quantity),
    ])
    .filter(({ id }) => id !== '');
}

const fillsOf: Show = async (around, options, { user }) => {
  const fills = await around.reader(options).info.userFills({ user });
  const rows = fills.map(({ coin, fee, px, side, sz, time }) => ({
    time: new Date(time).toISOString(),
    instrument: String(coin),
    side: side === 'B' ? 'buy' : 'sell',
    size: sz,
    price: px,
    fee,
  }));
  return { json: fills, lines: table(rows, 'No fills') };
};
