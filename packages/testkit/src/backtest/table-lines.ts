/** Which columns a table without a header has: those of Binance's public dumps, told apart by their width. */
const KLINES = [
  'open_time',
  'open',
  'high',
  'low',
  'close',
  'volume',
  'close_time',
  'quote_volume',
  'count',
  'taker_buy_volume',
  'taker_buy_quote_volume',
  'ignore',
];
const AGG_TRADES = [
  'agg_trade_id',
  'price',
  'quantity',
  'first_trade_id',
  'last_trade_id',
  'transact_time',
  'is_buyer_maker',
  'is_best_match',
];
const TRADES = ['id', 'price', 'qty', 'quote_qty', 'time', 'is_buyer_maker', 'is_best_match'];

const BOOLEAN = /^(?:true|false)$/i;
/** Where a trade says which side took: that is what tells both kinds of trades apart at equal width. */
const TRADES_FLAG = TRADES.indexOf('is_buyer_maker');

/** The names of the columns, by a first line that is a header, or by what its cells look like. */
export function columnsOf(
  cells: readonly string[],
): { readonly names: readonly string[]; readonly isHeader: boolean } | undefined {
  if (cells.every((cell) => /^[a-z][a-z0-9_ ]*$/i.test(cell) && !BOOLEAN.test(cell))) {
    return { names: cells.map((cell) => cell.trim()), isHeader: true };
  }
  const names = headlessColumns(cells);
  return names === undefined ? undefined : { names, isHeader: false };
}

function headlessColumns(cells: readonly string[]): readonly string[] | undefined {
  if (cells.length === KLINES.length) return KLINES;
  const isTrades = cells.length <= TRADES.length && BOOLEAN.test(cells[TRADES_FLAG] ?? '');
  if (isTrades) return TRADES.slice(0, cells.length);
  const isAggregated = cells.length <= AGG_TRADES.length && BOOLEAN.test(cells[6] ?? '');
  return isAggregated ? AGG_TRADES.slice(0, cells.length) : undefined;
}

/** The cells of a line (RFC 4180, but for cells with line breaks); undefined when a quote stays open. */
export function cellsOf(line: string): readonly string[] | undefined {
  if (!line.includes('"')) return line.split(',');
  const cells: string[] = [];
  let at = 0;
  while (at <= line.length) {
    if (line[at] === '"') {
      const [text, next] = quotedCell(line, at + 1) ?? [];
      if (text === undefined || next === undefined) return undefined;
      cells.push(text);
      at = next + 1;
    } else {
      const comma = line.indexOf(',', at);
      const end = comma < 0 ? line.length : comma;
      cells.push(line.slice(at, end));
      at = end + 1;
    }
  }
  return cells;
}

/** Its text and where it ends; two quotes inside stand for one. */
function quotedCell(line: string, from: number): readonly [string, number] | undefined {
  let text = '';
  for (let at = from; ;) {
    const quote = line.indexOf('"', at);
    if (quote < 0) return undefined;
    text += line.slice(at, quote);
    if (line[quote + 1] !== '"') {
      const isEnd = quote + 1 === line.length || line[quote + 1] === ',';
      return isEnd ? [text, quote + 1] : undefined;
    }
    text += '"';
    at = quote + 2;
  }
}
