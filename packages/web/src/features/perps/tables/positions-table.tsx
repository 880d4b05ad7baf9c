import { useMemo } from 'react';
import type { AssetPosition } from '@oddlot/sdk';
import { compare } from '../../../lib/decimal.ts';
import { money, percent } from '../../../lib/format.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { OnGrid, SizeOnGrid } from '../../../market/on-grid.tsx';
import { Badge } from '../../../ui/badge.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { colourOf, Money } from '../../../ui/figure.tsx';
import { Table, type Column } from '../../../ui/table.tsx';
import { isLong, positionKey, usePositions } from '../use-account.ts';
import { AdlLights } from './adl-lights.tsx';
import { LiquidationPrice } from './liquidation-price.tsx';
import { MarketLink } from './market-link.tsx';
import { PositionActions } from './position-actions.tsx';
import { PositionExits } from './position-exits.tsx';
import { PositionMargin } from './position-margin.tsx';
import { TakenNote } from './taken-note.tsx';

export function PositionsTable({ user }: { readonly user: string }) {
  const t = useWords();
  const rows = usePositions();
  const columns = useMemo(() => [...valueColumns(t), ...riskColumns(t)], [t]);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <TakenNote user={user} />
      <div className="min-h-0 flex-1">
        <Table
          label={t('perps.tables.positions')}
          columns={columns}
          rows={rows}
          rowKey={positionKey}
          empty={
            <EmptyState title={t('perps.empty.positions')} text={t('perps.empty.positionsText')} />
          }
        />
      </div>
    </div>
  );
}

/** What it is and what it is worth. */
function valueColumns(t: Words): readonly Column<AssetPosition>[] {
  return [
    {
      id: 'market',
      width: '124px',
      header: t('perps.column.market'),
      cell: (row) => (
        <span className="flex items-center gap-2">
          <MarketLink name={row.position.coin} tone={isLong(row) ? 'buy' : 'sell'} />
          <span className="max-[1439px]:hidden">
            <Badge>
              {row.position.leverage.value}× {t(`perps.account.${row.position.leverage.type}`)}
            </Badge>
          </span>
        </span>
      ),
    },
    {
      id: 'size',
      width: '62px',
      header: t('perps.column.size'),
      align: 'right',
      cell: ({ position }) => <SizeOnGrid coin={position.asset} value={position.szi} />,
    },
    {
      id: 'entry',
      width: '70px',
      header: t('perps.column.entry'),
      align: 'right',
      from: 'desktop',
      cell: ({ position }) => <OnGrid coin={position.asset} value={position.entryPx} />,
    },
    {
      id: 'mark',
      width: '70px',
      header: t('perps.column.mark'),
      align: 'right',
      from: 'tablet',
      cell: ({ position }) => <OnGrid coin={position.asset} value={position.markPx} />,
    },
    {
      id: 'pnl',
      width: '108px',
      header: t('perps.column.pnl'),
      align: 'right',
      cell: ({ position: { returnOnEquity, unrealizedPnl } }) => (
        <span className={colourOf(unrealizedPnl)}>
          {money(unrealizedPnl, { isSigned: true })}{' '}
          <span className="max-tablet:hidden">
            ({percent(returnOnEquity, { decimals: 1, isSigned: true })})
          </span>
        </span>
      ),
      compare: (a, b) => compare(a.position.unrealizedPnl, b.position.unrealizedPnl),
    },
  ];
}

/** What may become of it, and what can be done. */
function riskColumns(t: Words): readonly Column<AssetPosition>[] {
  return [
    {
      id: 'liquidation',
      width: '100px',
      header: t('perps.column.liquidation'),
      align: 'right',
      from: 'tablet',
      cell: ({ position }) => <LiquidationPrice position={position} />,
    },
    {
      id: 'margin',
      width: '84px',
      header: t('perps.column.margin'),
      align: 'right',
      from: 'desktop',
      cell: (row) => <PositionMargin row={row} />,
    },
    {
      id: 'funding',
      width: '52px',
      header: t('perps.column.funding'),
      align: 'right',
      from: 'desktop',
      cell: ({ position }) => <Money value={position.cumFunding.sinceOpen} isSigned isColoured />,
    },
    {
      id: 'adl',
      width: '38px',
      header: <span title={t('perps.adl.title')}>{t('perps.column.adl')}</span>,
      from: 'desktop',
      cell: ({ position }) => <AdlLights quantile={position.adlQuantile} />,
    },
    {
      id: 'exits',
      width: '104px',
      header: t('perps.column.exits'),
      align: 'right',
      from: 'tablet',
      cell: (row) => <PositionExits row={row} />,
    },
    {
      id: 'actions',
      width: '124px',
      header: <span className="heard">{t('perps.column.actions')}</span>,
      align: 'right',
      cell: (row) => <PositionActions row={row} />,
    },
  ];
}
