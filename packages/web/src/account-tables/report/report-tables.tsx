import type { OrderReport, ReportedFill } from '@oddlot/sdk';
import { useMemo, type ReactNode } from 'react';
import { number } from '../../lib/format.ts';
import { clockTime } from '../../lib/time.ts';
import { useWords, type Words } from '../../lib/words.ts';
import { timeColumn } from '../../market/time-column.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { numberColumn } from '../cells.tsx';
import { TradedPrice, TradedSize } from '../traded-figures.tsx';
import { takenLevels, type TakenLevel } from './executed.ts';

/** The parts of a report that are rows. */

type Reported = { readonly report: OrderReport };

/** What it met when it came, and what it got there. */
export function LevelsOf({ report }: Reported) {
  const t = useWords();
  const rows = useMemo(() => takenLevels(report), [report]);
  const columns = useMemo(() => levelColumns(report, t), [report, t]);
  return (
    <Rows title={t('report.levels')}>
      <Table
        label={t('report.levels')}
        columns={columns}
        rows={rows}
        rowKey={({ px }) => px}
        empty={<p className="px-2 text-muted">{t('report.noLevels')}</p>}
      />
    </Rows>
  );
}

/** Each trade of it, oldest first. */
export function FillsOf({ report }: Reported) {
  const t = useWords();
  const columns = useMemo(() => fillColumns(report, t), [report, t]);
  return (
    <Rows title={t('report.fills')}>
      <Table
        label={t('report.fills')}
        columns={columns}
        rows={report.fills}
        rowKey={({ tid }) => tid}
        empty={<p className="px-2 text-muted">{t('report.noFills')}</p>}
      />
    </Rows>
  );
}

function Rows({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h3 className="text-12 text-muted">{title}</h3>
      {/* Long ones scroll by themselves, so that what stands below them is not far away. */}
      <div className="-mx-2 flex max-h-64 flex-col">{children}</div>
    </section>
  );
}

function tradedOf({ instrumentId, outcome }: OrderReport) {
  return { marketType: outcome === null ? 'perps' : 'outcome', instrumentId } as const;
}

function levelColumns(report: OrderReport, t: Words): readonly Column<TakenLevel>[] {
  const of = tradedOf(report);
  return [
    numberColumn('price', t('report.price'), ({ px }) => (
      <TradedPrice of={of} value={px} isAsTold />
    )),
    numberColumn('rested', t('report.rested'), ({ rested }) => (
      <TradedSize of={of} value={rested} />
    )),
    numberColumn('taken', t('report.taken'), ({ taken }) => (
      <TradedSize of={of} value={taken?.sz ?? ''} />
    )),
    numberColumn('fee', t('report.fee'), ({ taken }) => number(taken?.fee)),
    numberColumn('builderFee', t('report.builderFee'), ({ taken }) => number(taken?.builderFee), {
      from: 'tablet',
    }),
  ];
}

function fillColumns(report: OrderReport, t: Words): readonly Column<ReportedFill>[] {
  const of = tradedOf(report);
  return [
    timeColumn(t('report.time'), ({ time }) => time, {
      width: '84px',
      from: 'tablet',
      short: 'never',
      write: clockTime,
      isSortable: false,
    }),
    {
      id: 'role',
      header: t('report.role'),
      width: '72px',
      phoneWidth: '64px',
      cell: ({ role }) => t(`report.${role}`),
    },
    numberColumn('price', t('report.price'), ({ px }) => (
      <TradedPrice of={of} value={px} isAsTold />
    )),
    numberColumn('size', t('report.size'), ({ sz }) => <TradedSize of={of} value={sz} />),
    numberColumn('fee', t('report.fee'), ({ fee }) => number(fee)),
    numberColumn('builderFee', t('report.builderFee'), ({ builderFee }) => number(builderFee), {
      from: 'tablet',
    }),
  ];
}
