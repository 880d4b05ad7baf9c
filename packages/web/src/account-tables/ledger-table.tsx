import type { FundingRow, LedgerUpdate } from '@oddlot/sdk';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { decimalsOf, negate, subtract } from '../lib/decimal.ts';
import { cents, money, number, short } from '../lib/format.ts';
import { useWords, type Words } from '../lib/words.ts';
import { fundingId, ledgerId, useFundings, useLedger } from '../market/account-lists.ts';
import { SizeOnGrid, useMarketNames, type MarketName, type MarketNames } from '../market/cells.tsx';
import { Button } from '../ui/controls.tsx';
import { Money, Percent } from '../ui/figures.tsx';
import { Table, type Column } from '../ui/table.tsx';
import { Market, minuteColumn, Nothing, numberColumn } from './cells.tsx';
import { WhyDialog } from './why-dialog.tsx';

export function LedgerTable({ user }: { readonly user: string }) {
  const t = useWords();
  const { isLoaded, older, rows } = useLedger(user);
  const [asked, setAsked] = useState<LedgerUpdate>();
  const names = useMarketNames(rows.flatMap(({ delta }) => marketIdOf(delta) ?? []));
  const columns = useMemo(() => ledgerColumns(setAsked, t, names), [t, names]);
  return (
    <>
      <Table
        label={t('portfolio.tab.ledger')}
        columns={columns}
        rows={rows}
        rowKey={ledgerId}
        older={older}
        empty={<Nothing name="ledger" user={user} isLoaded={isLoaded} />}
      />
      {asked !== undefined && <WhyDialog update={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

function ledgerColumns(
  ask: (row: LedgerUpdate) => void,
  t: Words,
  names: MarketNames,
): readonly Column<LedgerUpdate>[] {
  return [
    minuteColumn(({ time }) => time, t),
    {
      id: 'what',
      header: t('portfolio.what'),
      width: '150px',
      phoneWidth: '98px',
      cell: ({ delta }) => t(`portfolio.ledgerKind.${delta.type}`),
    },
    {
      id: 'detail',
      header: t('portfolio.detail'),
      from: 'tablet',
      cell: ({ delta }) => {
        const detail = detailOf(delta, t, names);
        return (
          <span className="text-muted" title={detail}>
            {detail}
          </span>
        );
      },
    },
    numberColumn(
      'amount',
      t('portfolio.amount'),
      ({ delta }) => (
        <Money value={amountOf(delta)} isSigned isColoured={delta.type !== 'accountTransfer'} />
      ),
      { width: '140px', phoneWidth: '112px' },
    ),
    numberColumn(
      'transaction',
      t('portfolio.transaction'),
      ({ hash }) => (
        <Link
          to={`/explorer/tx/${hash}` as '/'}
          className="font-mono text-12 text-muted hover:underline"
        >
          {short(hash)}
        </Link>
      ),
      { width: '130px', from: 'tablet' },
    ),
    numberColumn(
      'why',
      <span className="visually-hidden">{t('portfolio.actions')}</span>,
      (row) =>
        (row.delta.type === 'liquidation' || row.delta.type === 'adl') && (
          <Button size="small" onClick={() => ask(row)}>
            {t('portfolio.why.button')}
          </Button>
        ),
      { width: '68px', phoneWidth: '60px' },
    ),
  ];
}

type Delta = LedgerUpdate['delta'];

function amountOf(delta: Delta): string | undefined {
  switch (delta.type) {
    case 'liquidation':
      return undefined;
    case 'adl':
      return delta.closedPnl;
    case 'withdraw':
    case 'send':
    case 'outcomeSplit':
      return negate(delta.amount);
    case 'accountTransfer':
      return delta.toAccountType === 'perp' ? delta.amount : negate(delta.amount);
    default:
      return delta.amount;
  }
}

function detailOf(delta: Delta, t: Words, names: MarketNames = new Map()): string {
  switch (delta.type) {
    case 'liquidation':
      return t('portfolio.liquidationDetail', {
        market: delta.liquidatedPositions.map(({ coin }) => coin).join(', '),
        mark: number(delta.markPx),
        equity: money(delta.accountValue),
        maintenance: money(delta.maintenanceMargin),
      });
    case 'adl': {
      const what = { size: number(delta.sz), market: delta.coin, price: number(delta.px) };
      return t('portfolio.adlDetail', what);
    }
    case 'accountTransfer':
      return t('portfolio.transferDetail', {
        from: delta.fromAccountType,
        to: delta.toAccountType,
      });
    case 'send':
    case 'withdraw':
      return short(delta.destination);
    case 'receive':
      return short(delta.user);
    case 'outcomeSplit':
    case 'outcomeMerge':
      return ofMarket(
        names.get(delta.instrumentId),
        t('portfolio.splitDetail', { size: number(delta.sz) }),
        t,
      );
    case 'outcomeSettlement': {
      const { instrumentId, outcome, settlementFraction: fraction, sz } = delta;
      const market = names.get(instrumentId);
      const isYes = outcome === 'Yes';
      // The fraction is the payout of YES; NO receives the rest.
      const paid = isYes ? fraction : subtract('1', fraction);
      const detail = t('portfolio.settlementDetail', {
        size: number(sz),
        outcome: market?.outcomes[isYes ? 0 : 1] ?? outcome,
        price: cents(paid, Math.max(2, decimalsOf(paid))),
      });
      return ofMarket(market, detail, t);
    }
    default:
      return '';
  }
}

function ofMarket(market: MarketName | undefined, detail: string, t: Words): string {
  return market === undefined ? detail : t('portfolio.ofMarket', { market: market.name, detail });
}

function marketIdOf(delta: Delta): number | undefined {
  switch (delta.type) {
    case 'outcomeSplit':
    case 'outcomeMerge':
    case 'outcomeSettlement':
      return delta.instrumentId;
    default:
      return undefined;
  }
}

export function FundingTable({ user }: { readonly user: string }) {
  const t = useWords();
  const { isLoaded, older, rows } = useFundings(user);
  const columns = useMemo(() => fundingColumns(t), [t]);
  return (
    <Table
      label={t('portfolio.tab.funding')}
      columns={columns}
      rows={rows}
      rowKey={fundingId}
      older={older}
      empty={<Nothing name="funding" user={user} isLoaded={isLoaded} />}
    />
  );
}

function fundingColumns(t: Words): readonly Column<FundingRow>[] {
  return [
    minuteColumn(({ time }) => time, t),
    {
      id: 'market',
      header: t('portfolio.market'),
      cell: ({ coin }) => <Market symbol={coin} isOutcome={false} />,
    },
    numberColumn(
      'size',
      t('portfolio.size'),
      ({ coin, szi }) => <SizeOnGrid coin={coin} value={szi} />,
      { width: '160px', phoneWidth: '106px' },
    ),
    numberColumn(
      'rate',
      t('portfolio.rate'),
      ({ fundingRate }) => <Percent value={fundingRate} decimals={5} isColoured={false} />,
      { width: '140px', from: 'tablet' },
    ),
    numberColumn(
      'payment',
      t('portfolio.payment'),
      ({ usdc }) => <Money value={usdc} isSigned isColoured />,
      { width: '160px', phoneWidth: '92px' },
    ),
  ];
}
