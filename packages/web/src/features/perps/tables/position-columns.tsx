import type { AssetPosition } from '@oddlot/sdk';
import type { ReactNode } from 'react';
import { ShareButton } from '../../../account-tables/share/share-button.tsx';
import { sharedPosition, type SharedResult } from '../../../account-tables/share/shared-result.ts';
import { compare } from '../../../lib/decimal.ts';
import { percent } from '../../../lib/format.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { priceDecimals } from '../../../market/grid-decimals.ts';
import { OnGrid, SizeOnGrid } from '../../../market/on-grid.tsx';
import { knownPerps } from '../../../market/queries.ts';
import { Badge } from '../../../ui/badge.tsx';
import { colourOf, Money } from '../../../ui/figure.tsx';
import { Stacked } from '../../../ui/stacked.tsx';
import type { Column } from '../../../ui/table.tsx';
import { isLong } from '../use-account.ts';
import { AdlLights } from './adl-lights.tsx';
import { LiquidationDistance, LiquidationPrice } from './liquidation-price.tsx';
import { MarketLink } from './market-link.tsx';
import { PositionActions } from './position-actions.tsx';
import { PositionExits } from './position-exits.tsx';
import { MarginButtons, MarginShare } from './position-margin.tsx';

type Columns = readonly Column<AssetPosition>[];

/**
 * What a position is, what may become of it, and what can be done. Widths are those of large figures: a price of six
 * digits, a size and a result of a million's worth. Where they don't fit beside each other, pairs share a column.
 */
export function positionColumns(isWide: boolean, t: Words): Columns {
  const ends = [exits(isWide, t), actions(t)];
  return isWide ? [...besideEachOther(t), ...ends] : [...inPairs(t), ...ends];
}

function besideEachOther(t: Words): Columns {
  return [
    {
      id: 'market',
      width: '176px',
      header: t('perps.column.market'),
      cell: (row) => (
        <span className="flex items-center gap-2">
          <Name row={row} />
          <Badge>{leverageOf(row, t)}</Badge>
        </span>
      ),
    },
    figure('size', '108px', t('perps.column.size'), Size),
    figure('entry', '84px', t('perps.column.entry'), Entry),
    figure('mark', '84px', t('perps.column.mark'), Mark),
    {
      ...figure('pnl', '168px', t('perps.column.pnl'), (props) => (
        <ShareButton of={() => sharedOnGrid(props.row)}>
          <Pnl {...props} /> <Roe {...props} />
        </ShareButton>
      )),
      compare: byPnl,
    },
    figure('liquidation', '142px', t('perps.column.liquidation'), ({ row }) => (
      <>
        <LiquidationPrice position={row.position} />{' '}
        <span className="text-muted">
          <LiquidationDistance position={row.position} />
        </span>
      </>
    )),
    figure('margin', '138px', t('perps.column.margin'), (props) => (
      <span className="inline-flex items-center gap-1">
        <Margin {...props} />
        <MarginButtons {...props} />
      </span>
    )),
    figure('funding', '94px', t('perps.column.funding'), Funding),
    {
      id: 'adl',
      width: '44px',
      header: <span title={t('perps.adl.title')}>{t('perps.column.adl')}</span>,
      cell: ({ position }) => <AdlLights quantile={position.adlQuantile} />,
    },
  ];
}

function inPairs(t: Words): Columns {
  return [
    {
      id: 'market',
      width: '112px',
      tabletWidth: '100px',
      phoneWidth: '86px',
      header: t('perps.column.market'),
      cell: (row) => (
        <Stacked align="left" below={<span className="text-11">{leverageOf(row, t)}</span>}>
          <Name row={row} />
        </Stacked>
      ),
    },
    pair('size', '108px', t('perps.column.size'), [Size, ValueOrEnd], { phoneWidth: '100px' }),
    pair('prices', '84px', t('perps.column.entryMark'), [Entry, Mark], { from: 'tablet' }),
    pair('pnl', '98px', t('perps.column.pnl'), [SharedPnl, Roe], {
      phoneWidth: '92px',
      compare: byPnl,
    }),
    pair(
      'liquidation',
      '86px',
      t('perps.column.liquidation'),
      [
        ({ row }) => <LiquidationPrice position={row.position} />,
        ({ row }) => <LiquidationDistance position={row.position} />,
      ],
      { from: 'tablet' },
    ),
    pair('margin', '96px', t('perps.column.margin'), [Margin, MarginBelow], {
      from: 'tablet',
    }),
    pair(
      'funding',
      '92px',
      t('perps.column.fundingAdl'),
      [Funding, ({ row }) => <AdlLights quantile={row.position.adlQuantile} />],
      { from: 'desktop' },
    ),
  ];
}

function exits(isWide: boolean, t: Words): Column<AssetPosition> {
  return {
    id: 'exits',
    width: isWide ? '164px' : '86px',
    header: t('perps.column.exits'),
    align: 'right',
    from: 'tablet',
    cell: (row) => <PositionExits row={row} />,
  };
}

function actions(t: Words): Column<AssetPosition> {
  return {
    id: 'actions',
    width: '138px',
    tabletWidth: '94px',
    phoneWidth: '92px',
    header: <span className="heard">{t('perps.column.actions')}</span>,
    align: 'right',
    cell: (row) => <PositionActions row={row} />,
  };
}

type Figure = (props: { readonly row: AssetPosition }) => ReactNode;

function figure(id: string, width: string, header: string, Of: Figure): Column<AssetPosition> {
  return { id, width, header, align: 'right', cell: (row) => <Of row={row} /> };
}

function pair(
  id: string,
  width: string,
  header: string,
  [First, Second]: readonly [Figure, Figure],
  rest: Partial<Column<AssetPosition>>,
): Column<AssetPosition> {
  const cell = (row: AssetPosition) => (
    <Stacked below={<Second row={row} />}>
      <First row={row} />
    </Stacked>
  );
  return { id, width, header, align: 'right', cell, ...rest };
}

const Name: Figure = ({ row }) => (
  <MarketLink name={row.position.coin} tone={isLong(row) ? 'buy' : 'sell'} />
);
const Size: Figure = ({ row: { position } }) => (
  <SizeOnGrid coin={position.asset} value={position.szi} />
);
const Value: Figure = ({ row: { position } }) => <Money value={position.positionValue} />;
/** On a phone, which has no column for it, where the position ends counts for more than what it is worth. */
const ValueOrEnd: Figure = (props) => (
  <>
    <span className="max-tablet:hidden">
      <Value {...props} />
    </span>
    <PhoneEnd {...props} />
  </>
);
const PhoneEnd: Figure = ({ row: { position } }) => {
  const t = useWords();
  return (
    <span className="text-11 text-warning tablet:hidden">
      <span className="heard">{t('perps.column.liquidation')} </span>
      <span aria-hidden="true">{t('perps.tape.liquidationShort')} </span>
      <LiquidationPrice position={position} />
    </span>
  );
};
const Entry: Figure = ({ row: { position } }) => (
  <OnGrid coin={position.asset} value={position.entryPx} />
);
const Mark: Figure = ({ row: { position } }) => (
  <OnGrid coin={position.asset} value={position.markPx} />
);
const Pnl: Figure = ({ row: { position } }) => (
  <Money value={position.unrealizedPnl} isSigned isColoured />
);
function sharedOnGrid(row: AssetPosition): SharedResult {
  const perp = knownPerps().find(({ index }) => String(index) === row.position.asset);
  return sharedPosition(row, perp && priceDecimals(perp));
}

/** A press away from a picture of it. */
const SharedPnl: Figure = (props) => (
  <ShareButton of={() => sharedOnGrid(props.row)}>
    <Pnl {...props} />
  </ShareButton>
);
const Roe: Figure = ({ row: { position } }) => (
  <span className={colourOf(position.unrealizedPnl)}>
    ({percent(position.returnOnEquity, { decimals: 1, isSigned: true })})
  </span>
);
const Margin: Figure = ({ row: { position } }) => <Money value={position.marginUsed} />;
const MarginBelow: Figure = (props) => (
  <>
    <MarginButtons {...props} />
    <MarginShare {...props} />
  </>
);
const Funding: Figure = ({ row: { position } }) => (
  <Money value={position.cumFunding.sinceOpen} isSigned isColoured />
);

function leverageOf({ position: { leverage } }: AssetPosition, t: Words): string {
  return `${leverage.value}× ${t(`perps.account.${leverage.type}`)}`;
}

function byPnl(left: AssetPosition, right: AssetPosition): number {
  return compare(left.position.unrealizedPnl, right.position.unrealizedPnl);
}
