import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { dateTimeSecond } from '../lib/time.ts';
import { useWords, type Words } from '../lib/words.ts';
import { Time, timeColumn } from '../market/time-column.tsx';
import { useSession } from '../session/session.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { StackedTitle } from '../ui/event-title.tsx';
import type { Column } from '../ui/table.tsx';
import { useIsWide } from '../ui/use-is-wide.ts';

/** Cells that all tables of the account share. */

/** Whose rows, and whether only those of one kind of market. */
export type Shown = { readonly user: string; readonly only?: 'perps' | 'outcome' | undefined };

type TableName =
  | 'positions'
  | 'shares'
  | 'orders'
  | 'triggers'
  | 'fills'
  | 'history'
  | 'funding'
  | 'ledger'
  | 'settlements';

/** Where the first row of each comes from. */
const SOURCES = {
  positions: '/',
  shares: '/events',
  orders: '/',
  triggers: '/',
  fills: '/',
  history: '/',
  funding: '/',
  ledger: '/account',
  settlements: '/events',
} as const satisfies Record<TableName, string>;

type NothingProps = { readonly name: TableName; readonly isLoaded: boolean; readonly user: string };

export function Nothing({ name, isLoaded, user }: NothingProps) {
  const t = useWords();
  const session = useSession();
  const isOwn = session?.address === user && session.kind !== 'spectator';
  if (!isLoaded) return null;
  const source = SOURCES[name];
  return (
    <EmptyState
      title={t(`portfolio.empty.${name}`)}
      // How one comes to some is nothing to tell who looks at somebody else.
      text={isOwn ? t(`portfolio.emptyText.${name}`) : undefined}
      action={
        isOwn && (
          <Link to={source as '/'} className="text-13 text-accent hover:underline">
            {t(`portfolio.source.${source}`)}
          </Link>
        )
      }
    />
  );
}

/** Of the time in tables of the account, on a phone. */
const PHONE_TIME = '60px';

export function minuteColumn<Row>(of: (row: Row) => number, t: Words): Column<Row> {
  return timeColumn(t('portfolio.time'), of, { phoneWidth: PHONE_TIME });
}

/** The same to the second, where there is room for it; `led` makes it the way to what the row came from. */
export function secondColumn<Row>(
  of: (row: Row) => number,
  t: Words,
  led: (row: Row, time: ReactNode) => ReactNode = (_, time) => time,
): Column<Row> {
  return timeColumn(t('portfolio.time'), of, {
    width: '132px',
    phoneWidth: PHONE_TIME,
    cell: (row) => led(row, <Time ms={of(row)} write={dateTimeSecond} />),
  });
}

type Traded = {
  readonly symbol: string;
  readonly slug?: string | undefined;
  readonly title?: string | undefined;
  readonly isOutcome: boolean;
  readonly isStacked?: boolean | undefined;
};

/** For a name in two lines. */
export const STACKED_ROW_PX = 44;

export function Market({ symbol, slug, title, isOutcome, isStacked }: Traded) {
  const name = title ?? symbol;
  if (isOutcome) return <Event slug={slug} name={name} isStacked={isStacked} />;
  return (
    <Link to={`/trade/${symbol}` as '/'} search={sameTab} className="hover:underline">
      {name}
    </Link>
  );
}

/** Where columns are narrow a question takes two lines: the table's rows are as high as that. */
function Event({
  slug,
  name,
  isStacked = false,
}: Pick<Traded, 'slug' | 'isStacked'> & { readonly name: string }) {
  const isWide = useIsWide();
  const shown = isStacked || !isWide ? <StackedTitle title={name} /> : name;
  return slug === undefined ? (
    <span title={name}>{shown}</span>
  ) : (
    <a href={`/events/${slug}`} title={name} className="hover:underline">
      {shown}
    </a>
  );
}

/** The terminal has the same tables: what was looked at here is in front there too. */
function sameTab({ tab }: { readonly tab?: unknown }): object {
  return tab === undefined ? {} : { tab };
}

type SidedProps = { readonly isBuy: boolean; readonly children: ReactNode };

export function Sided({ isBuy, children }: SidedProps) {
  return <span className={isBuy ? 'text-buy' : 'text-sell'}>{children}</span>;
}

export function numberColumn<Row>(
  id: string,
  header: ReactNode,
  cell: (row: Row) => ReactNode,
  rest: Partial<Column<Row>> = {},
): Column<Row> {
  return { id, header, cell, align: 'right', ...rest };
}

/**
 * Whether an order or a trade buys what its row names. An outcome market has one book, in prices of YES: who buys NO sells
 * there (side A), and who sells NO is a bid.
 */
export function isBought({
  outcome,
  side,
}: {
  readonly side: 'A' | 'B';
  /** The leg; perps have none. */
  readonly outcome?: 'Yes' | 'No' | null | undefined;
}): boolean {
  return (side === 'B') === (outcome !== 'No');
}
