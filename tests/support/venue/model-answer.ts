import type {
  Answer,
  Ask,
  BuilderPage,
  Page,
  StoreTopic,
  UserPage,
} from '../../../packages/history/src/history.ts';
import type { BlockRows, RowPosition } from '../../../packages/history/src/rows/block-rows.ts';

/**
 * A reference model of the history that searches complete lists. It shares only the query types
 * with the store.
 */
export function modelAnswer<Topic extends ModelTopic>(
  blocks: readonly BlockRows[],
  topic: Topic,
  question: Ask<Topic>,
): Answer<Topic> {
  const answer = MODEL[topic] as (blocks: readonly BlockRows[], ask: Ask<Topic>) => Answer<Topic>;
  return answer(blocks, question);
}

/** Execution reports are not stored rows. Another reference model covers them. */
type ModelTopic = Exclude<StoreTopic, 'executionReport'>;

const MODEL: {
  readonly [Topic in ModelTopic]: (blocks: readonly BlockRows[], ask: Ask<Topic>) => Answer<Topic>;
} = {
  fills: (blocks, ask) => {
    const rows = blocks.flatMap(({ fills, head }) =>
      fills.map((record, index) => ({ ...record, position: at(record.row.time, head, index) })),
    );
    const his = rows.filter(
      ({ accountType, instrumentId, user }) =>
        user === ask.user &&
        ask.accountTypes.includes(accountType) &&
        (ask.instrumentId === undefined || ask.instrumentId === instrumentId),
    );
    const page = paged(his, ask);
    const withTexts = page.rows.map(({ instrumentId, row }) => ({
      ...row,
      ...texts(blocks, instrumentId),
    }));
    return { rows: withTexts, next: page.next };
  },
  orders: (blocks, ask) => {
    const newest = new Map<unknown, BlockRows['orders'][number] & { position: RowPosition }>();
    for (const { head, orders } of blocks) {
      for (const [index, record] of orders.entries()) {
        const key = record.orderId === 0 ? {} : record.orderId;
        const place = record.index ?? index;
        newest.set(key, { ...record, position: at(record.row.statusTimestamp, head, place) });
      }
    }
    const his = [...newest.values()].filter(
      ({ accountType, instrumentId, user }) =>
        user === ask.user &&
        ask.accountTypes.includes(accountType) &&
        (ask.instrumentId === undefined || ask.instrumentId === instrumentId),
    );
    const page = paged(his, ask);
    const withTexts = page.rows.map(({ instrumentId, row }) => {
      const children = row.order.children.map((child) => {
        const own = newest.get(child.oid);
        return own?.user === ask.user ? own.row.order : child;
      });
      return { ...row, order: { ...row.order, children, ...texts(blocks, instrumentId) } };
    });
    return { rows: withTexts, next: page.next };
  },
  ledger: (blocks, ask) => {
    const newest = new Map<string, BlockRows['ledger'][number] & { position: RowPosition }>();
    for (const record of blocks.flatMap(({ ledger }) => ledger)) {
      const { height, index } = record.first;
      newest.set(`${height} ${index}`, { ...record, position: [record.row.time, height, index] });
    }
    const his = [...newest.values()].filter(
      ({ accountTypes, user }) =>
        user === ask.user && accountTypes.some((type) => ask.accountTypes.includes(type)),
    );
    const page = paged(his, ask);
    return { rows: page.rows.map(({ row }) => row), next: page.next };
  },
  /**
   * Only these tables have rows that never change. For other tables, the store can report only that
   * rows changed.
   */
  since: (blocks, { accountTypes, after, counts, cursor, limit, table, upTo, user }) => {
    const later = blocks.filter(({ head }) => head.height > after);
    const isHis = (row: { readonly user: string }): boolean => row.user === user;
    if (table === 'orders') {
      const changed = later.flatMap(({ orders }) => orders).filter(isHis);
      const isOf = changed.some(({ accountType }) => accountTypes.includes(accountType));
      return isOf ? 'gone' : { rows: [], next: null, blocks: 0 };
    }
    const isRewritten = later.some(({ head, ledger }) =>
      ledger.some((row) => isHis(row) && row.first.height !== head.height),
    );
    if (table === 'ledger' && isRewritten) return 'gone';
    const returned = later
      .filter(({ head }) => head.height <= upTo)
      .flatMap((block) =>
        rowsOf(block, table).map((each, index) => ({
          ...each,
          height: block.head.height,
          position: at(each.time, block.head, index),
        })),
      )
      .filter((row) => isHis(row) && row.accountTypes.some((type) => accountTypes.includes(type)))
      .map(({ instrumentId, row, ...each }) => ({
        ...each,
        row: table === 'fills' ? { ...row, ...texts(blocks, instrumentId) } : row,
      }));
    const heights = new Set(returned.map(({ height }) => height));
    if (counts === true) return { rows: [], next: null, blocks: heights.size };
    const from =
      cursor === undefined ? 0 : returned.findIndex(({ position }) => isAt(position, cursor)) + 1;
    const rows = returned.slice(from, from + limit);
    const last = rows.at(-1);
    const next = from + rows.length < returned.length && last !== undefined ? last.position : null;
    return { rows: rows.map(({ height, row }) => ({ height, row })), next };
  },
  fundings: (blocks, ask) => {
    const rows = blocks.flatMap(({ fundings, head }) =>
      fundings.map((record, index) => ({ ...record, position: at(record.row.time, head, index) })),
    );
    const his = rows.filter(
      ({ amountMicroUsdc, instrumentId, user }) =>
        user === ask.user &&
        (ask.instrumentIds?.includes(instrumentId) ?? true) &&
        (ask.direction !== 'paid' || amountMicroUsdc < 0) &&
        (ask.direction !== 'collected' || amountMicroUsdc > 0),
    );
    const page = paged(his, ask);
    const answer = { rows: page.rows.map(({ row }) => row), next: page.next };
    if (ask.cursor !== undefined) return answer;
    return { ...answer, total: his.filter(({ position }) => isInTime(position, ask)).length };
  },
  earned: (blocks, ask) => {
    const newest = new Map<string, BlockRows['earnings'][number] & { position: RowPosition }>();
    for (const { earnings, head } of blocks) {
      for (const [index, record] of earnings.entries()) {
        const position = at(record.timeMs, head, index);
        newest.set(`${record.builder} ${record.orderId}`, { ...record, position });
      }
    }
    return numbered([...newest.values()], ask);
  },
  claimed: (blocks, ask) =>
    numbered(
      blocks.flatMap(({ claims, head }) =>
        claims.map((record, index) => ({ ...record, position: at(record.timeMs, head, index) })),
      ),
      ask,
    ),
  shares: (blocks, { builder, dimension, limit, sinceMs }) => {
    const day = 86_400_000;
    const sums = new Map<string, number>();
    for (const record of blocks.flatMap(({ earnings }) => earnings)) {
      if (record.builder !== builder) continue;
      if (Math.floor(record.timeMs / day) < Math.floor(sinceMs / day)) continue;
      const key = dimension === 'user' ? record.user : String(record.instrumentId);
      sums.set(key, (sums.get(key) ?? 0) + record.addedFeeMicroUsdc);
    }
    const rows = [...sums].map(([key, feeMicroUsdc]) => ({ key, feeMicroUsdc }));
    rows.sort(
      (left, right) =>
        right.feeMicroUsdc - left.feeMicroUsdc ||
        (dimension === 'user' ? compareTexts(left.key, right.key) : +left.key - +right.key),
    );
    const totalMicroUsdc = rows.reduce((sum, row) => sum + row.feeMicroUsdc, 0);
    return { rows: rows.slice(0, limit), totalMicroUsdc };
  },
  claimable: (blocks, { builder }) => {
    const earnings = blocks.flatMap((block) =>
      block.earnings.filter((row) => row.builder === builder),
    );
    const claims = blocks.flatMap((block) => block.claims.filter((row) => row.builder === builder));
    return {
      earnedMicroUsdc: earnings.reduce((sum, row) => sum + row.addedFeeMicroUsdc, 0),
      claimedMicroUsdc: claims.reduce((sum, row) => sum + row.amountMicroUsdc, 0),
      hasAny: earnings.length + claims.length > 0,
    };
  },
  receipt: (blocks, ask) => {
    const found = blocks
      .flatMap(({ receipts }) => receipts)
      .filter((row) => {
        if (ask.by === 'txHash') return row.txHash === ask.txHash;
        if (ask.by === 'signer') return row.signer === ask.signer && row.nonce === ask.nonce;
        return false;
      });
    return found.sort((left, right) => left.height - right.height)[0] ?? null;
  },
  blocks: (blocks, { before, limit }) =>
    blocks
      .filter(({ head }) => before === undefined || head.height < before)
      .reverse()
      .slice(0, limit)
      .map(headOf),
  block: (blocks, ask) => {
    const found = blocks.find(({ head }) =>
      'height' in ask ? head.height === ask.height : head.hash === ask.hash,
    );
    return found === undefined ? null : { ...headOf(found), txs: txRows(found) };
  },
  tx: (blocks, { txHash }) => {
    for (const block of blocks) {
      const tx = block.txs.find((each) => each.txHash === txHash);
      const row = txRows(block).find((each) => each.txHash === txHash);
      if (tx !== undefined && row !== undefined) {
        return { ...row, index: tx.index, request: tx.request };
      }
    }
    return null;
  },
  txs: (blocks, { height, limit }) => {
    const rows = blocks.flatMap((block) =>
      txRows(block).map((row, at) => ({ ...row, request: block.txs[at]?.request ?? '' })),
    );
    return height === undefined
      ? rows.reverse().slice(0, limit)
      : rows.filter((row) => row.height === height).slice(0, limit);
  },
  userTxs: (blocks, ask) => {
    const rows = blocks.flatMap((block) =>
      txRows(block).map((row, place) => {
        const { index = 0, request = '' } = block.txs[place] ?? {};
        return { ...row, index, request, position: at(row.timeMs, block.head, index) };
      }),
    );
    const page = paged(
      rows.filter(({ user }) => user === ask.user),
      ask,
    );
    return { rows: page.rows.map(({ position: _position, ...row }) => row), next: page.next };
  },
  bars: (blocks, { endMs, instrumentId, limit, startMs, stepMs, withPrevious }) => {
    const newest = new Map<number, BlockRows['candles'][number]>();
    for (const candle of blocks.flatMap(({ candles }) => candles)) {
      if (candle.instrumentId !== instrumentId || candle.stepMs !== stepMs) continue;
      newest.set(candle.startMs, candle);
    }
    const all = [...newest.values()].sort((left, right) => left.startMs - right.startMs);
    const previous = all.filter((candle) => candle.startMs < startMs).slice(-1);
    const span = all.filter((candle) => candle.startMs >= startMs && candle.startMs <= endMs);
    return [...(withPrevious === true ? previous : []), ...span.slice(0, limit)];
  },
  liquidations: (blocks, ask) => {
    const rows = blocks.flatMap(({ head, liquidations = [] }) =>
      liquidations.map((record, index) => ({
        ...record,
        position: at(record.row.time, head, index),
      })),
    );
    const page = paged(
      rows.filter(
        ({ instrumentId }) => ask.instrumentId === undefined || instrumentId === ask.instrumentId,
      ),
      ask,
    );
    return { rows: page.rows.map(({ row }) => row), next: page.next };
  },
  largestTrades: (blocks, { limit, lists, startMs }) => {
    const newest = new Map(
      blocks.flatMap(({ largestTrades = [] }) =>
        largestTrades.map((each) => [`${each.list} ${each.startMs}`, each] as const),
      ),
    );
    return [...newest.values()]
      .filter((each) => lists.includes(each.list) && each.startMs >= startMs)
      .flatMap(({ trades }) => trades)
      .sort((a, b) => b.value - a.value || a.row.time - b.row.time || a.row.tid - b.row.tid)
      .slice(0, limit)
      .map(({ row }) => ({ ...row, ...texts(blocks, row.instrumentId) }));
  },
  openInterest: (blocks, { endMs, instrumentId, limit, startMs }) =>
    blocks
      .flatMap(({ openInterest = [] }) => openInterest)
      .filter((each) => each.instrumentId === instrumentId)
      .map(({ row }) => row)
      .filter(({ time }) => time >= startMs && time <= endMs)
      .slice(0, limit),
  accountValues: (blocks, { endMs, startMs, stepMs, user }) => {
    const his = blocks.flatMap(({ accountValues }) =>
      accountValues.filter((row) => row.user === user),
    );
    const last = his.filter(({ timeMs }) => timeMs <= startMs).at(-1);
    const after = his.filter(
      (row) => row.timeMs > startMs && row.timeMs <= endMs && row.stepMs >= stepMs,
    );
    return last === undefined ? after : [last, ...after];
  },
  valuesAt: (blocks, { timesMs, users }) =>
    users.map((user) => {
      const his = blocks.flatMap(({ accountValues }) =>
        accountValues.filter((row) => row.user === user),
      );
      return timesMs.map((time) => his.findLast(({ timeMs }) => timeMs <= time) ?? null);
    }),
  withdrawals: (blocks, { before, limit, user }) => {
    const newest = new Map<number, BlockRows['withdrawals'][number]>();
    for (const record of blocks.flatMap(({ withdrawals }) => withdrawals)) {
      if (record.user === user) newest.set(record.withdrawalId, record);
    }
    return [...newest.values()]
      .filter(({ withdrawalId }) => before === undefined || withdrawalId < before)
      .sort((left, right) => right.withdrawalId - left.withdrawalId)
      .slice(0, limit);
  },
  settledEvents: (blocks, ask) => {
    const { after, limit, order, seriesSlug, settledBeforeMs, sortBy, tag } = ask;
    const key = (event: BlockRows['settledEvents'][number]): number =>
      ({
        volume: event.volumeMicroUsdc,
        newest: event.createdMs,
        endingSoon: event.endMs,
        start: event.startMs,
        zero: 0,
      })[sortBy];
    const sign = order === 'asc' ? 1 : -1;
    const compare = (left: readonly [number, number], right: readonly [number, number]): number =>
      sign * (left[0] - right[0] || left[1] - right[1]);
    return events(blocks)
      .filter(
        (event) =>
          event.settledMs <= settledBeforeMs &&
          (tag === undefined || event.tags.includes(tag)) &&
          (seriesSlug === undefined || event.seriesSlug === seriesSlug) &&
          (after === undefined ||
            compare([key(event), event.eventId], [after.key, after.eventId]) > 0),
      )
      .sort((left, right) => compare([key(left), left.eventId], [key(right), right.eventId]))
      .slice(0, limit);
  },
  settledMarket: (blocks, ask) =>
    events(blocks).find(({ markets, slug }) => {
      if ('eventSlug' in ask) return slug === ask.eventSlug;
      if ('slug' in ask) return markets.some((market) => market.slug === ask.slug);
      return markets.some(({ instrumentId }) => instrumentId === ask.instrumentId);
    }) ?? null,
};

function events(blocks: readonly BlockRows[]): BlockRows['settledEvents'][number][] {
  const newest = new Map(
    blocks.flatMap(({ settledEvents }) =>
      settledEvents.map((each) => [each.eventId, each] as const),
    ),
  );
  return [...newest.values()];
}

function at(timeMs: number, head: { readonly height: number }, index: number): RowPosition {
  return [timeMs, head.height, index];
}

type Range = { readonly startTime?: number; readonly endTime?: number };

function isInTime([timeMs]: RowPosition, { endTime, startTime }: Range): boolean {
  return timeMs >= (startTime ?? 0) && timeMs <= (endTime ?? Infinity);
}

function paged<Row extends { readonly position: RowPosition }>(
  rows: readonly Row[],
  ask: Omit<UserPage, 'user'>,
): Page<Row> {
  const { cursor, limit, offset = 0, order } = ask;
  const sign = order === 'oldestFirst' ? 1 : -1;
  const sorted = rows
    .filter(({ position }) => isInTime(position, ask))
    .filter(({ position }) => cursor === undefined || sign * compare(position, cursor) > 0)
    .sort((left, right) => sign * compare(left.position, right.position));
  const page = sorted.slice(offset, offset + limit);
  const hasMore = sorted.length > offset + limit;
  return { rows: page, next: hasMore ? (page.at(-1)?.position ?? null) : null };
}

function numbered<Row extends { readonly builder: string; readonly position: RowPosition }>(
  rows: readonly Row[],
  ask: BuilderPage,
): Page<Omit<Row, 'position'>> & { total: number } {
  const { page, pageSize: limit } = ask;
  const his = rows.filter(
    ({ builder, position }) => builder === ask.builder && isInTime(position, ask),
  );
  const offset = ask.cursor === undefined ? page * limit : 0;
  const found = paged(his, { ...ask, limit, offset });
  const bare = found.rows.map(({ position: _position, ...row }) => row);
  return { rows: bare, next: found.next, total: his.length };
}

function compare(left: RowPosition, right: RowPosition): number {
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
}

function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function texts(
  blocks: readonly BlockRows[],
  instrumentId: number,
): { title?: string; slug?: string } {
  const market = blocks
    .flatMap(({ markets }) => markets)
    .find((each) => each.instrumentId === instrumentId);
  return market === undefined ? {} : { title: market.title, slug: market.slug };
}

function headOf({ head, txs }: BlockRows): Answer<'blocks'>[number] {
  const { hash, height, parentHash, stateHash, timeMs } = head;
  return { height, timeMs, hash, parentHash, stateHash, numTxs: txs.length };
}

function txRows({ head, txs }: BlockRows): NonNullable<Answer<'block'>>['txs'] {
  return txs.map(({ actionType, error, txHash, user }) => ({
    txHash,
    timeMs: head.timeMs,
    user,
    actionType,
    height: head.height,
    error,
  }));
}

function isAt(left: RowPosition, right: RowPosition): boolean {
  return left.every((value, index) => value === right[index]);
}

function rowsOf({ fills, fundings, ledger }: BlockRows, table: 'fills' | 'fundings' | 'ledger') {
  if (table === 'fills') {
    return fills.map(({ accountType, instrumentId, row, user }) => {
      return { user, instrumentId, accountTypes: [accountType], time: row.time, row };
    });
  }
  if (table === 'fundings') {
    return fundings.map(({ instrumentId, row, user }) => {
      return { user, instrumentId, accountTypes: ['perp'] as const, time: row.time, row };
    });
  }
  return ledger.map(({ accountTypes, row, user }) => {
    return { user, instrumentId: 0, accountTypes, time: row.time, row };
  });
}
