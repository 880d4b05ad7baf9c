import {
  type BlockRow,
  CLIENT_PAGE_LIMITS,
  type HistoryAsOf,
  type InfoAnswerOf,
  type InfoEnvelope,
  type InfoType,
  type Withdrawal,
} from '@oddlot/protocol';
import {
  askInfo,
  type InfoContext,
  type InfoOptions,
  type InfoParameters,
  queryInfo,
  readInfo,
} from './query-info.ts';

/** Paged queries. `outcomeMeta` is excluded, because its cursor is part of the data. */
export type PagedType = Exclude<
  { [Type in InfoType]: 'cursor' extends keyof InfoParameters<Type> ? Type : never }[InfoType],
  'outcomeMeta'
>;

/** A response from the history, with its metadata. */
export type HistoryPage<Data> = {
  readonly data: Data;
  /** The block up to which the data is complete. */
  readonly asOf: HistoryAsOf;
  /** The start of the next page; null after the last row, undefined if the query is not paged. */
  readonly nextCursor: string | null | undefined;
};

/**
 * Sends a history query and returns its data, the block up to which the data is complete, and the
 * cursor of the next page.
 *
 * @throws ValidationError, HttpError, ApiError
 */
export async function historyPage<Type extends InfoType, Data>(
  context: InfoContext,
  request: InfoParameters<Type> & { readonly type: Type },
  options?: InfoOptions,
): Promise<HistoryPage<Data>> {
  const reply = await askInfo(context, request, options);
  const data = readInfo<Data>(context, reply);
  const { asOf, nextCursor } = reply.body as Extract<InfoEnvelope<Data>, { success: true }>;
  return { data, asOf: asOf ?? { height: 0, time: 0 }, nextCursor };
}

/** Yields all pages in order. */
async function* historyPages<Type extends PagedType, Data>(
  context: InfoContext,
  request: InfoParameters<Type> & { readonly type: Type },
  options?: InfoOptions,
): AsyncGenerator<HistoryPage<Data>, void> {
  let cursor: string | null | undefined;
  do {
    const page = await historyPage<Type, Data>(context, { ...request, cursor }, options);
    yield page;
    cursor = page.nextCursor;
  } while (typeof cursor === 'string');
}

/** The parameters of a method that reads all rows. `limit` or `pageSize` is the size of a page. */
export type RowsParameters<Type extends PagedType> = Omit<
  InfoParameters<Type>,
  'cursor' | 'offset' | 'page'
>;

export type RowsOf<Type extends PagedType, Row> = (data: InfoAnswerOf<Type>) => readonly Row[];

/** Yields all rows of a paged query. Pages are requested as needed. */
export async function* historyRows<Type extends PagedType, Row>(
  context: InfoContext,
  asked: {
    readonly request: RowsParameters<Type> & { readonly type: Type };
    readonly rowsOf: RowsOf<Type, Row>;
  },
  options?: InfoOptions,
): AsyncGenerator<Row, void> {
  const request = asked.request as InfoParameters<Type> & { readonly type: Type };
  for await (const page of historyPages<Type, InfoAnswerOf<Type>>(context, request, options)) {
    yield* asked.rowsOf(page.data);
  }
}

export async function* allBlocks(
  context: InfoContext,
  { before, ...parameters }: InfoParameters<'blocks'> = {},
  options?: InfoOptions,
): AsyncGenerator<BlockRow, void> {
  const { limit = CLIENT_PAGE_LIMITS.blocks.max } = parameters;
  for (let below = before; ;) {
    const request = { type: 'blocks', ...parameters, limit, before: below } as const;
    const page = await queryInfo(context, request, options);
    yield* page;
    below = page.at(-1)?.height;
    if (below === undefined || below <= 1) return;
  }
}

export async function* allWithdrawals(
  context: InfoContext,
  { before, ...parameters }: InfoParameters<'withdrawals'>,
  options?: InfoOptions,
): AsyncGenerator<Withdrawal, void> {
  const { limit = CLIENT_PAGE_LIMITS.withdrawals.max } = parameters;
  for (let below = before; ;) {
    const request = { type: 'withdrawals', ...parameters, limit, before: below } as const;
    const page = await queryInfo(context, request, options);
    yield* page;
    below = page.at(-1)?.id;
    if (below === undefined) return;
  }
}
