import type { Fill, LedgerUpdate } from '@oddlot/sdk';
import { useMemo, useState } from 'react';
import { isDecimal, multiply, sign } from '../lib/decimal.ts';
import { useWords, type Words } from '../lib/words.ts';
import { fillId, ledgerLists, useFills } from '../market/account-lists.ts';
import { fillDirection } from '../market/fill-direction.ts';
import { Money } from '../ui/figures.tsx';
import { Table, type Column } from '../ui/table.tsx';
import {
  directionWord,
  isBought,
  Market,
  Nothing,
  numberColumn,
  OriginLink,
  secondColumn,
  Sided,
  STACKED_ROW_PX,
  TradedPrice,
  TradedSize,
  type Shown,
} from './cells.tsx';
import { REPORT_KEY, ReportButton, useReport } from './report/report-button.tsx';
import { ShareButton, sharedFill } from './share/share-button.tsx';
import { WhyDialog } from './why-dialog.tsx';

export function FillsTable({ user, only }: Shown) {
  const t = useWords();
  const { isLoaded, older, rows: all } = useFills(user);
  const rows = useMemo(
    () => (only === undefined ? all : all.filter(({ marketType }) => marketType === only)),
    [all, only],
  );
  const ledger = ledgerLists.use(user, (state) => state.rows);
  const takenBy = useMemo(() => takenFills(ledger), [ledger]);
  const [asked, setAsked] = useState<LedgerUpdate>();
  const { dialog, open } = useReport(user);
  const columns = useMemo(() => columnsOf(t, { takenBy, ask: setAsked, open }), [t, takenBy, open]);
  return (
    <>
      <Table
        label={t('portfolio.tab.fills')}
        columns={columns}
        rows={rows}
        rowKey={fillId}
        stackedRowHeight={only === 'perps' ? undefined : STACKED_ROW_PX}
        rowHotkey={{ key: REPORT_KEY, act: ({ oid }) => open(oid) }}
        older={older}
        empty={<Nothing name="fills" user={user} isLoaded={isLoaded} />}
      />
      {dialog}
      {asked !== undefined && <WhyDialog update={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

type Asking = {
  readonly takenBy: ReturnType<typeof takenFills>;
  readonly ask: (update: LedgerUpdate) => void;
  readonly open: (oid: number) => void;
};

function columnsOf(t: Words, { ask, open, takenBy }: Asking): readonly Column<Fill>[] {
  return [
    secondColumn(
      ({ time }) => time,
      t,
      ({ hash }, time) => <OriginLink hash={hash}>{time}</OriginLink>,
    ),
    {
      id: 'market',
      header: t('portfolio.market'),
      cell: ({ marketType, slug, symbol, title }) => (
        <Market symbol={symbol} slug={slug} title={title} isOutcome={marketType === 'outcome'} />
      ),
    },
    {
      id: 'side',
      header: t('portfolio.side'),
      width: '136px',
      tabletWidth: '104px',
      from: 'tablet',
      cell: (fill) => {
        const taken = takenBy(fill);
        const effect =
          fill.marketType === 'perps'
            ? t(`direction.${fillDirection(fill)}`)
            : directionWord(fill.dir, t);
        if (taken === undefined) return <Sided isBuy={isBought(fill)}>{effect}</Sided>;
        return (
          <button
            type="button"
            className="rounded text-warning underline decoration-dotted"
            title={t('portfolio.why.button')}
            onClick={() => ask(taken)}
          >
            {`${effect} · ${t(`portfolio.taken.${taken.delta.type as Taken}`)}`}
          </button>
        );
      },
    },
    numberColumn(
      'price',
      t('portfolio.price'),
      (fill) => (
        <ReportButton oid={fill.oid} onOpen={open}>
          <TradedPrice of={fill} value={fill.px} />
        </ReportButton>
      ),
      { width: '96px', phoneWidth: '80px' },
    ),
    numberColumn(
      'size',
      t('portfolio.size'),
      (fill) => (
        <Sided isBuy={isBought(fill)}>
          <TradedSize of={fill} value={isBought(fill) ? fill.sz : `-${fill.sz}`} isSigned />
        </Sided>
      ),
      { width: '116px', tabletWidth: '104px', phoneWidth: '104px' },
    ),
    ...moneyColumns(t),
  ];
}

function ClosedPnl({ fill }: { readonly fill: Fill }) {
  const made = <Money value={fill.closedPnl} isSigned isColoured />;
  if (!isDecimal(fill.closedPnl) || sign(fill.closedPnl) === 0) return made;
  return <ShareButton of={() => sharedFill(fill)}>{made}</ShareButton>;
}

function moneyColumns(t: Words): readonly Column<Fill>[] {
  return [
    numberColumn(
      'worth',
      t('portfolio.worth'),
      ({ px, sz }) => <Money value={multiply(px, sz)} />,
      { width: '124px', from: 'desktop' },
    ),
    numberColumn(
      'fee',
      t('portfolio.fee'),
      ({ fee, tradeSide }) => (
        <span title={tradeSide === null ? undefined : t(`portfolio.${tradeSide}`)}>
          <Money value={fee} />
        </span>
      ),
      { width: '92px', tabletWidth: '72px', from: 'tablet' },
    ),
    numberColumn('closedPnl', t('portfolio.closedPnl'), (fill) => <ClosedPnl fill={fill} />, {
      width: '108px',
      tabletWidth: '92px',
      from: 'tablet',
    }),
  ];
}

type Taken = 'liquidation' | 'adl';

/**
 * Finds the fills caused by liquidations, because the rows do not mark them. For each, the ledger
 * has an update with the same market and block.
 */
function takenFills(
  ledger: readonly LedgerUpdate[],
): (fill: Pick<Fill, 'hash' | 'symbol' | 'time'>) => LedgerUpdate | undefined {
  const steps = new Map<string, LedgerUpdate>();
  for (const update of ledger) {
    for (const market of marketsOf(update)) steps.set(keyOf(update, market), update);
  }
  return (fill) => steps.get(keyOf(fill, fill.symbol));
}

function marketsOf({ delta }: LedgerUpdate): readonly string[] {
  if (delta.type === 'adl') return [delta.coin];
  if (delta.type !== 'liquidation' || delta.step === 'cancel') return [];
  return delta.liquidatedPositions.map(({ coin }) => coin);
}

function keyOf(
  { hash, time }: { readonly hash: string; readonly time: number },
  market: string,
): string {
  return `${hash} ${time} ${market}`;
}
