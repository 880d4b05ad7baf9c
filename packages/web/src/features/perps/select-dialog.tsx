import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { PerpMeta, Ticker } from '@oddlot/sdk';
import { compare, decimalsOf, isDecimal, multiply } from '../../lib/decimal.ts';
import { compact, percent } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { usePerps } from '../../market/queries.ts';
import { tickers } from '../../market/tickers.ts';
import { dayChange, useTrends, type Trend } from '../../market/trends.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Percent, Price } from '../../ui/figure.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { useTradedPerp } from './traded-perp.ts';
import { useKept } from './use-kept.ts';

type Row = {
  readonly perp: PerpMeta;
  readonly ticker: Ticker | undefined;
  readonly trend: Trend | undefined;
  readonly isFavourite: boolean;
};

const NO_PERPS: readonly PerpMeta[] = [];

/** All markets, by any of their numbers; Enter takes the first. */
export function SelectDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useWords();
  const navigate = useNavigate();
  const { perp: now } = useTradedPerp();
  const [wanted, setWanted] = useState('');
  const [favourites, setFavourites] = useKept<readonly string[]>('favourites', []);
  const listed = usePerps().data?.universe ?? NO_PERPS;
  const byId = tickers.use({ accountType: 'perp' }, (state) => state.byId);
  const trends = useTrends(listed);
  const rows = useMemo(
    () =>
      listed
        .filter(({ name }) => name.toLowerCase().includes(wanted.trim().toLowerCase()))
        .map((perp): Row => ({
          perp,
          ticker: byId.get(perp.index),
          trend: trends.get(perp.index),
          isFavourite: favourites.includes(perp.name),
        })),
    [listed, wanted, byId, trends, favourites],
  );
  const columns = useMemo(
    () =>
      columnsOf(t, ({ isFavourite, perp }) =>
        setFavourites(
          isFavourite
            ? favourites.filter((name) => name !== perp.name)
            : [...favourites, perp.name],
        ),
      ),
    [t, favourites, setFavourites],
  );
  const go = (row: Row | undefined): void => {
    if (row === undefined) return;
    onClose();
    void navigate({ to: `/trade/${row.perp.name}`, search: (before: object) => before });
  };
  return (
    <Dialog title={t('perps.select.title')} isOpen isWide onClose={onClose}>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          go(rows[0]);
        }}
      >
        <TextField
          label={t('markets.search')}
          isLabelHidden
          type="search"
          placeholder={t('markets.search')}
          value={wanted}
          onChange={setWanted}
        />
        <Table
          label={t('perps.select.title')}
          columns={columns}
          rows={rows}
          rowKey={({ perp }) => perp.index}
          sortedBy={{ id: 'volume', isDescending: true }}
          isSelected={({ perp }) => perp.index === now.index}
          onRowClick={go}
          empty={<EmptyState title={t('markets.nothingFound')} />}
        />
      </form>
    </Dialog>
  );
}

function columnsOf(t: Words, favour: (row: Row) => void): readonly Column<Row>[] {
  return [
    {
      id: 'market',
      header: t('perps.column.market'),
      width: '24%',
      phoneWidth: '31%',
      cell: (row) => (
        <span className="flex items-center gap-1">
          <button
            type="button"
            aria-pressed={row.isFavourite}
            aria-label={t('perps.select.favourite', { market: row.perp.name })}
            onClick={(event) => {
              event.stopPropagation();
              favour(row);
            }}
            className="size-5 shrink-0 rounded text-faint aria-pressed:text-warning"
          >
            {row.isFavourite ? '★' : '☆'}
          </button>
          <span className="truncate" title={row.perp.name}>
            {row.perp.name}
          </span>
        </span>
      ),
      // Favourites first, whichever way the names go.
      compare: (a, b) =>
        Number(b.isFavourite) - Number(a.isFavourite) || a.perp.name.localeCompare(b.perp.name),
    },
    {
      id: 'price',
      header: t('perps.column.price'),
      align: 'right',
      cell: ({ perp, ticker }) => (
        <Price value={ticker?.markPx} decimals={decimalsOf(perp.priceTick)} />
      ),
    },
    {
      id: 'change',
      header: t('perps.strip.change'),
      align: 'right',
      cell: (row) => <Percent value={changeOf(row)} />,
      compare: byText(changeOf),
    },
    {
      id: 'volume',
      header: t('perps.select.volume'),
      align: 'right',
      cell: ({ ticker }) => compact(ticker?.dayNtlVlm),
      compare: byText(({ ticker }) => ticker?.dayNtlVlm),
    },
    {
      id: 'interest',
      header: t('perps.select.interest'),
      align: 'right',
      from: 'tablet',
      cell: (row) => compact(interestOf(row)),
      compare: byText(interestOf),
    },
    {
      id: 'funding',
      header: t('perps.strip.funding'),
      align: 'right',
      from: 'tablet',
      cell: ({ ticker }) => percent(ticker?.funding, { decimals: 3, isSigned: true }),
      compare: byText(({ ticker }) => ticker?.funding),
    },
  ];
}

function changeOf({ ticker, trend }: Row): string | undefined {
  return dayChange(ticker, trend);
}

function interestOf({ ticker }: Row): string | undefined {
  if (!isDecimal(ticker?.markPx)) return undefined;
  return multiply(ticker.openInterest, ticker.markPx);
}

function byText(of: (row: Row) => string | undefined): (a: Row, b: Row) => number {
  return (a, b) => {
    const [left, right] = [of(a), of(b)];
    if (!isDecimal(left)) return isDecimal(right) ? -1 : 0;
    return isDecimal(right) ? compare(left, right) : 1;
  };
}
