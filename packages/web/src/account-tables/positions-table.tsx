import type { AssetPosition } from '@oddlot/sdk';
import { useMemo, useState } from 'react';
import { compare, divide, isDecimal, sign, subtract } from '../lib/decimal.ts';
import { percent } from '../lib/format.ts';
import { useWords, type Words } from '../lib/words.ts';
import { accountStates } from '../market/account.ts';
import { OnGrid, SizeOnGrid } from '../market/on-grid.tsx';
import { Badge } from '../ui/badge.tsx';
import { colourOf, Fact, Money, Percent } from '../ui/figure.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { Market, Nothing, numberColumn, Sided } from './cells.tsx';
import { Link } from '@tanstack/react-router';
import { Dialog } from '../ui/dialog.tsx';

const NONE: readonly AssetPosition[] = [];

export function PositionsTable({ user }: { readonly user: string }) {
  const t = useWords();
  const state = accountStates.use({ user, accountType: 'perp' }, (account) => account.state);
  const equity = state?.marginSummary.accountValue;
  const columns = useMemo(() => columnsOf(equity, t), [equity, t]);
  return (
    <Table
      label={t('portfolio.tab.positions')}
      columns={columns}
      rows={state?.assetPositions ?? NONE}
      rowKey={({ position, type }) =>
        `${position.asset} ${type === 'Hedge' ? sign(position.szi) : ''}`
      }
      empty={<Nothing name="positions" user={user} isLoaded={state !== undefined} />}
    />
  );
}

function columnsOf(equity: string | undefined, t: Words): readonly Column<AssetPosition>[] {
  return [
    {
      id: 'market',
      header: t('portfolio.market'),
      width: '210px',
      tabletWidth: '168px',
      phoneWidth: '120px',
      cell: (row) => <Held row={row} />,
    },
    numberColumn('size', t('portfolio.size'), ({ position: { asset, szi } }) => (
      <SizeOnGrid coin={asset} value={szi} />
    )),
    numberColumn(
      'entry',
      t('portfolio.entry'),
      ({ position }) => <OnGrid coin={position.asset} value={position.entryPx} />,
      { from: 'tablet' },
    ),
    numberColumn(
      'mark',
      t('portfolio.mark'),
      ({ position }) => <OnGrid coin={position.asset} value={position.markPx} />,
      { from: 'tablet' },
    ),
    numberColumn(
      'worth',
      t('portfolio.worth'),
      ({ position }) => <Money value={position.positionValue} />,
      {
        from: 'tablet',
        compare: (left, other) =>
          compare(left.position.positionValue, other.position.positionValue),
      },
    ),
    numberColumn(
      'pnl',
      t('portfolio.pnl'),
      ({ position: { returnOnEquity, unrealizedPnl } }) => (
        <>
          <Money value={unrealizedPnl} isSigned isColoured />
          <span className={`text-12 max-desktop:hidden ${colourOf(returnOnEquity)}`}>
            {' '}
            ({percent(returnOnEquity, { decimals: 1, isSigned: true })})
          </span>
        </>
      ),
      {
        width: '170px',
        tabletWidth: '104px',
        phoneWidth: '100px',
        compare: (left, other) =>
          compare(left.position.unrealizedPnl, other.position.unrealizedPnl),
      },
    ),
    ...marginColumns(equity, t),
  ];
}

/** The market in the colour of the side, and how it is margined; on a phone the way to the rest. */
function Held({ row }: { readonly row: AssetPosition }) {
  const { coin, leverage, szi } = row.position;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <span className="flex items-center gap-2">
      <Sided isBuy={sign(szi) > 0}>
        <span className="max-tablet:hidden">
          <Market symbol={coin} isOutcome={false} />
        </span>
        <button
          type="button"
          className="underline decoration-line underline-offset-4 tablet:hidden"
          onClick={() => setIsOpen(true)}
        >
          {coin}
        </button>
      </Sided>
      {isOpen && <PositionDetails row={row} onClose={() => setIsOpen(false)} />}
      <span className="max-tablet:hidden">
        <Badge>
          {leverage.value}× {leverage.type.toLowerCase()}
        </Badge>
      </span>
    </span>
  );
}

function marginColumns(equity: string | undefined, t: Words): readonly Column<AssetPosition>[] {
  return [
    numberColumn(
      'liquidation',
      t('portfolio.liquidation'),
      ({ position: { asset, liquidationPx, markPx } }) => (
        <>
          <OnGrid coin={asset} value={liquidationPx} />
          <span className="text-12 text-muted max-desktop:hidden">
            {' '}
            {distance(markPx, liquidationPx)}
          </span>
        </>
      ),
      { from: 'tablet', width: '160px', tabletWidth: '104px' },
    ),
    numberColumn(
      'margin',
      t('portfolio.margin'),
      ({ position }) => <Money value={position.marginUsed} />,
      { from: 'desktop' },
    ),
    numberColumn(
      'funding',
      t('portfolio.funding'),
      ({ position }) => <Money value={position.cumFunding.sinceOpen} isSigned />,
      { from: 'desktop' },
    ),
    numberColumn(
      'part',
      t('portfolio.part'),
      ({ position }) => (
        <Percent
          value={equity === undefined ? undefined : divide(position.marginUsed, equity, 6)}
          decimals={1}
          isSigned={false}
          isColoured={false}
        />
      ),
      { from: 'desktop', width: '96px' },
    ),
  ];
}

/** How far the price may go, as a part of it; nothing where it can't be liquidated. */
function distance(from: string | null | undefined, to: string | null | undefined): string {
  if (!isDecimal(from) || !isDecimal(to) || sign(from) === 0) return '';
  return percent(divide(subtract(to, from), from, 6), { decimals: 1, isSigned: true });
}

type PositionDetailsProps = { readonly row: AssetPosition; readonly onClose: () => void };

function PositionDetails({ row: { position }, onClose }: PositionDetailsProps) {
  const t = useWords();
  const { asset, coin, leverage, returnOnEquity } = position;
  return (
    <Dialog title={coin} isOpen onClose={onClose}>
      <dl className="flex flex-col gap-2">
        <Fact name={t('portfolio.size')}>
          <SizeOnGrid coin={asset} value={position.szi} />
        </Fact>
        <Fact name={t('portfolio.entry')}>
          <OnGrid coin={asset} value={position.entryPx} />
        </Fact>
        <Fact name={t('portfolio.mark')}>
          <OnGrid coin={asset} value={position.markPx} />
        </Fact>
        <Fact name={t('portfolio.worth')}>
          <Money value={position.positionValue} />
        </Fact>
        <Fact name={t('portfolio.pnl')}>
          <Money value={position.unrealizedPnl} isSigned isColoured />{' '}
          <span className={colourOf(returnOnEquity)}>
            ({percent(returnOnEquity, { decimals: 1, isSigned: true })})
          </span>
        </Fact>
        <Fact name={t('portfolio.liquidation')}>
          <OnGrid coin={asset} value={position.liquidationPx} />
        </Fact>
        <Fact name={t('portfolio.margin')}>
          <Money value={position.marginUsed} />{' '}
          <span className="text-muted">
            {leverage.value}× {leverage.type.toLowerCase()}
          </span>
        </Fact>
        <Fact name={t('portfolio.funding')}>
          <Money value={position.cumFunding.sinceOpen} isSigned />
        </Fact>
      </dl>
      <p className="mt-4">
        <Link to={`/trade/${coin}` as '/'} className="text-accent hover:underline">
          {t('portfolio.toTerminal', { market: coin })}
        </Link>
      </p>
    </Dialog>
  );
}
