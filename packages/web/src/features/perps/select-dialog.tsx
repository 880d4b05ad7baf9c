import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { compact, hourlyRate } from '../../lib/format.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { priceDecimals } from '../../market/cells.tsx';
import { changeOf, openInterestOf, usePerpRows, type PerpRow } from '../../market/past-prices.ts';
import { TextField } from '../../ui/controls.tsx';
import { Percent, Price } from '../../ui/figures.tsx';
import { Dialog } from '../../ui/overlays.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { byDecimal, Table, type Column } from '../../ui/table.tsx';
import { toggleFavourite, useFavourites } from './favourites.ts';
import { useTradedPerp } from './use-account.ts';

type Row = PerpRow & { readonly isFavourite: boolean };

export function SelectDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useWords();
  const navigate = useNavigate();
  const { perp: now } = useTradedPerp();
  const [wanted, setWanted] = useState('');
  const favourites = useFavourites();
  const { rows: found } = usePerpRows(wanted);
  const rows = useMemo(
    () => found.map((row): Row => ({ ...row, isFavourite: favourites.includes(row.perp.name) })),
    [found, favourites],
  );
  const columns = useMemo(() => columnsOf(t, ({ perp }) => toggleFavourite(perp.name)), [t]);
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
      phoneWidth: '37%',
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
      compare: (a, b) =>
        Number(b.isFavourite) - Number(a.isFavourite) || a.perp.name.localeCompare(b.perp.name),
    },
    {
      id: 'price',
      header: t('perps.column.price'),
      phoneWidth: '24%',
      align: 'right',
      cell: ({ perp, ticker }) => <Price value={ticker?.markPx} decimals={priceDecimals(perp)} />,
    },
    {
      id: 'change',
      header: t('perps.strip.change'),
      align: 'right',
      cell: (row) => <Percent value={changeOf(row)} />,
      compare: byDecimal(changeOf),
    },
    {
      id: 'volume',
      header: t('perps.select.volume'),
      align: 'right',
      cell: ({ ticker }) => compact(ticker?.dayNtlVlm),
      compare: byDecimal(({ ticker }) => ticker?.dayNtlVlm),
    },
    {
      id: 'interest',
      header: t('perps.select.interest'),
      align: 'right',
      from: 'tablet',
      cell: (row) => compact(openInterestOf(row)),
      compare: byDecimal(openInterestOf),
    },
    {
      id: 'funding',
      header: t('perps.strip.funding'),
      align: 'right',
      from: 'tablet',
      cell: ({ ticker }) => hourlyRate(ticker?.funding),
      compare: byDecimal(({ ticker }) => ticker?.funding),
    },
  ];
}
