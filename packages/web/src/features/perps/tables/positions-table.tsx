import type { AssetPosition, LedgerUpdate } from '@oddlot/sdk';
import { useMemo, useState, type ReactNode } from 'react';
import {
  ShareButton,
  sharedPosition,
  type SharedResult,
} from '../../../account-tables/share/share-button.tsx';
import { WhyDialog } from '../../../account-tables/why-dialog.tsx';
import { useStored } from '../../../lib/browser.ts';
import { compare, magnitude } from '../../../lib/decimal.ts';
import { dateTime, number, percent } from '../../../lib/format.ts';
import { useWords, type Words } from '../../../lib/words.ts';
import { ledgerLists } from '../../../market/account-lists.ts';
import { OnGrid, priceDecimals, SizeOnGrid } from '../../../market/cells.tsx';
import { knownPerps, usePerp } from '../../../market/queries.ts';
import { venueNow } from '../../../market/venue.ts';
import { Button } from '../../../ui/controls.tsx';
import { Badge, colourOf, Money } from '../../../ui/figures.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useWidth } from '../../../ui/styles.ts';
import { ROW_PX, Stacked, Table, TWO_LINES_PX, type Column } from '../../../ui/table.tsx';
import { isLong, positionKey, useAccountState, usePositions } from '../use-account.ts';
import { AdlLights, LiquidationDistance, LiquidationPrice, MarketLink } from './orders-table.tsx';
import { MarginButtons, MarginShare, PositionActions } from './position-actions.tsx';
import { PositionExits } from './position-exits.tsx';

export function PositionsTable({ user }: { readonly user: string }) {
  const t = useWords();
  const isLoaded = useAccountState() !== undefined;
  const rows = usePositions();
  const isWide = useWidth() === 'wide';
  const columns = useMemo(() => positionColumns(isWide, t), [isWide, t]);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <TakenNote user={user} />
      <div className="min-h-0 flex-1">
        <Table<AssetPosition>
          label={t('perps.tables.positions')}
          columns={columns}
          rows={rows}
          rowKey={positionKey}
          rowHeight={isWide ? ROW_PX : TWO_LINES_PX}
          empty={
            isLoaded && (
              <EmptyState
                title={t('perps.empty.positions')}
                text={t('perps.empty.positionsText')}
              />
            )
          }
        />
      </div>
    </div>
  );
}

type Columns = readonly Column<AssetPosition>[];

/**
 * Returns the columns. Their widths fit a six-digit price and one million USDC. Narrow tables
 * combine figures.
 */
function positionColumns(isWide: boolean, t: Words): Columns {
  const ends = [exits(isWide, t), actions(isWide, t)];
  return isWide ? [...besideEachOther(t), ...ends] : [...inPairs(t), ...ends];
}

function besideEachOther(t: Words): Columns {
  return [
    {
      id: 'market',
      width: '186px',
      header: t('perps.column.market'),
      cell: (row) => (
        <span className="flex items-center gap-2">
          <Name row={row} />
          <Badge title={wayOf(row, t)}>{shortWayOf(row, t)}</Badge>
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
      width: '124px',
      tabletWidth: '112px',
      phoneWidth: '78px',
      header: t('perps.column.market'),
      cell: (row) => (
        <Stacked align="left" below={<WayBelow row={row} />}>
          <Name row={row} />
        </Stacked>
      ),
    },
    pair('size', '108px', t('perps.column.size'), [Size, ValueOrEnd], {
      tabletWidth: '96px',
      // At 390 px, the largest size fits. At 360 px, a five-digit size fits.
      phoneWidth: 'calc(54vw - 110px)',
    }),
    pair('prices', '84px', t('perps.column.entryMark'), [Entry, Mark], {
      tabletWidth: '80px',
      from: 'tablet',
    }),
    pair('pnl', '98px', t('perps.column.pnl'), [SharedPnl, Roe], {
      tabletWidth: '92px',
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
      { tabletWidth: '80px', from: 'tablet' },
    ),
    pair('margin', '96px', t('perps.column.margin'), [Margin, MarginBelow], {
      tabletWidth: '84px',
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
    width: isWide ? '154px' : '86px',
    tabletWidth: '80px',
    header: t('perps.column.exits'),
    align: 'right',
    from: 'tablet',
    cell: (row) => <PositionExits row={row} />,
  };
}

function actions(isWide: boolean, t: Words): Column<AssetPosition> {
  return {
    id: 'actions',
    // This width fits both buttons with German labels.
    width: isWide ? '138px' : '164px',
    tabletWidth: '122px',
    phoneWidth: '112px',
    header: <span className="visually-hidden">{t('perps.column.actions')}</span>,
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
const WayBelow: Figure = ({ row }) => {
  const t = useWords();
  return (
    <span className="text-11">
      <span className="max-tablet:hidden">{wayOf(row, t)}</span>
      <span className="tablet:hidden">{shortWayOf(row, t)}</span>
    </span>
  );
};
const Size: Figure = ({ row: { position } }) => (
  <SizeOnGrid coin={position.asset} value={position.szi} />
);
const Value: Figure = ({ row: { position } }) => <Money value={position.positionValue} />;
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
      <span className="visually-hidden">{t('perps.column.liquidation')} </span>
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

const SharedPnl: Figure = (props) => (
  <ShareButton of={() => sharedOnGrid(props.row)}>
    <Pnl {...props} />
  </ShareButton>
);
const Roe: Figure = ({ row: { position } }) => (
  <span className={colourOf(position.unrealizedPnl)}>
    ({percent(position.returnOnEquity, { isSigned: true })})
  </span>
);
const Margin: Figure = ({ row: { position } }) => <Money value={position.marginUsed} />;
const MarginBelow: Figure = (props) => (
  <>
    <MarginShare {...props} />
    <MarginButtons {...props} />
  </>
);
const Funding: Figure = ({ row: { position } }) => (
  <Money value={position.cumFunding.sinceOpen} isSigned isColoured />
);

/** Returns the direction as text, because not all users can tell the colours apart. */
function wayOf(row: AssetPosition, t: Words): string {
  const { type, value } = row.position.leverage;
  return `${t(isLong(row) ? 'perps.long' : 'perps.short')} ${value}× ${t(`perps.account.${type}`)}`;
}

function shortWayOf(row: AssetPosition, t: Words): string {
  const { type, value } = row.position.leverage;
  const way = `${t(isLong(row) ? 'perps.long' : 'perps.short')} ${value}×`;
  return type === 'Isolated' ? `${way} ${t('perps.account.isolatedShort')}` : way;
}

function byPnl(left: AssetPosition, right: AssetPosition): number {
  return compare(left.position.unrealizedPnl, right.position.unrealizedPnl);
}

const NOTICE_MS = 24 * 3_600_000;

function TakenNote({ user }: { readonly user: string }) {
  const t = useWords();
  const [seenMs, setSeenMs] = useStored(`taken.${user}`, 0);
  const [isAsked, setIsAsked] = useState(false);
  const taken = ledgerLists.use(user, ({ rows }) => rows.find(isTaking));
  const perp = usePerp(
    (taken?.delta.type === 'liquidation' ? taken.delta.liquidatedPositions[0]?.coin : undefined) ??
      '',
  );
  if (taken === undefined || taken.time <= seenMs || taken.time < venueNow() - NOTICE_MS)
    return null;
  return (
    <div
      role="status"
      className="flex shrink-0 flex-wrap items-center gap-x-3 border-b border-line bg-warning/8 px-3 py-1 text-12 text-warning"
    >
      <span>{sentenceOf(taken, perp && priceDecimals(perp), t)}</span>
      <span className="text-muted">{dateTime(taken.time)}</span>
      <span className="ms-auto flex gap-1">
        <Button size="small" onClick={() => setIsAsked(true)}>
          {t('portfolio.why.button')}
        </Button>
        <Button size="small" kind="quiet" onClick={() => setSeenMs(taken.time)}>
          {t('perps.taken.seen')}
        </Button>
      </span>
      {isAsked && <WhyDialog update={taken} onClose={() => setIsAsked(false)} />}
    </div>
  );
}

function isTaking({ delta }: LedgerUpdate): boolean {
  return delta.type === 'adl' || (delta.type === 'liquidation' && delta.step !== 'cancel');
}

function sentenceOf({ delta }: LedgerUpdate, decimals: number | undefined, t: Words): string {
  if (delta.type === 'adl') {
    return t('perps.taken.adl', { size: number(delta.sz), market: delta.coin });
  }
  if (delta.type !== 'liquidation') return '';
  const positions = delta.liquidatedPositions
    .map(({ coin, szi }) => `${number(magnitude(szi))} ${coin}`)
    .join(', ');
  return t('perps.taken.liquidation', { positions, mark: number(delta.markPx, { decimals }) });
}
