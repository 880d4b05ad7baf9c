import type { ExecutionReport, OrderReport, ReportedFill } from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import { texts } from 'words:report';
import { saveBlob } from '../../lib/browser.ts';
import { compare, magnitude, sign, subtract, sum } from '../../lib/decimal.ts';
import {
  clockTime,
  countdown,
  exactTime,
  NOTHING,
  number,
  short,
  wholeDate,
} from '../../lib/format.ts';
import { addWords, useWords, type Words } from '../../lib/words.ts';
import { timeColumn, useMarketNames } from '../../market/cells.tsx';
import { usePerp } from '../../market/queries.ts';
import { reader } from '../../market/venue.ts';
import { Button, Spinner } from '../../ui/controls.tsx';
import { Fact } from '../../ui/figures.tsx';
import { Dialog } from '../../ui/overlays.tsx';
import { ErrorSentence } from '../../ui/states.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import {
  BlockLink,
  isBought,
  numberColumn,
  OriginLink,
  TradedPrice,
  TradedSize,
} from '../cells.tsx';

addWords(texts);

const AGAIN_MS = 5_000;
/**
 * The report is requested up to this many times, because the history can lag behind the stream that
 * delivered the row.
 */
const TRIES = 3;

type ReportDialogProps = Readonly<{ user: string; oid: number; onClose: () => void }>;

export function ReportDialog({ user, oid, onClose }: ReportDialogProps) {
  const t = useWords();
  const { data, error, refetch } = useQuery({
    queryKey: ['executionReport', user, oid],
    queryFn: ({ signal }) => reader.info.executionReport({ user, oid }, { signal }),
    staleTime: 0,
    retry: (count) => count < TRIES,
    refetchInterval: ({ state }) => (state.data?.orders[0]?.end === null ? AGAIN_MS : false),
  });
  const report = data?.orders[0];
  const sentence = useSentence(report);
  return (
    <Dialog
      title={t('report.title', { oid })}
      description={sentence}
      isOpen
      onClose={onClose}
      isWide
    >
      {report !== undefined && data !== undefined ? (
        <Report report={report} onSave={() => save(data, oid)} />
      ) : error === null ? (
        <p className="flex items-center gap-2 text-muted">
          <Spinner />
          {t('report.loading')}
        </p>
      ) : (
        <ErrorSentence
          error={error}
          also={[{ label: t('error.retry'), act: () => void refetch() }]}
        />
      )}
    </Dialog>
  );
}

function Report({ report, onSave }: { readonly report: OrderReport; readonly onSave: () => void }) {
  const t = useWords();
  return (
    <div className="flex flex-col gap-5 text-13">
      <div className="grid gap-x-8 gap-y-5 tablet:grid-cols-2">
        <Result report={report} />
        <Arrival report={report} />
      </div>
      {report.arrival !== null && <LevelsOf report={report} />}
      <FillsOf report={report} />
      {!hasAllFills(report) && <p className="text-12 text-muted">{t('report.newestFills')}</p>}
      <div className="grid gap-x-8 gap-y-5 tablet:grid-cols-2">
        <Times report={report} />
        <Ending report={report} />
        <Queue report={report} />
      </div>
      <div>
        <Button onClick={onSave}>{t('report.save')}</Button>
      </div>
    </div>
  );
}

function useSentence(report: OrderReport | undefined): string | undefined {
  const t = useWords();
  const id = report?.instrumentId;
  const isOutcome = report !== undefined && report.outcome !== null;
  const perp = usePerp(String(id));
  const named = useMarketNames(isOutcome ? [report.instrumentId] : []).get(id ?? 0);
  if (report === undefined) return undefined;
  const { coin, limitPx, origSz, outcome, tif } = report;
  const leg = outcome === 'Yes' ? named?.outcomes[0] : named?.outcomes[1];
  const market = isOutcome ? `${named?.name ?? coin} ${leg ?? outcome}` : (perp?.name ?? coin);
  const words = { size: number(origSz), market, price: number(limitPx), tif };
  return t(isBought(report) ? 'report.buy' : 'report.sell', words);
}

function save(data: ExecutionReport, oid: number): void {
  const text = `${JSON.stringify(data, null, 2)}\n`;
  saveBlob(`order-${oid}.json`, new Blob([text], { type: 'application/json' }));
}

type Reported = { readonly report: OrderReport };

export function Result({ report }: Reported) {
  const t = useWords();
  const { avgPx, builderFee, fee, filledSz, origSz, slippage } = report;
  const filled = { filled: number(filledSz), size: number(origSz) };
  return (
    <Part title={t('report.result')}>
      <Fact name={t('report.filled')}>{t('report.filledOf', filled)}</Fact>
      <Fact name={t('report.average')}>{number(avgPx)}</Fact>
      <Fact name={t('report.fee')}>{number(fee)}</Fact>
      <Fact name={t('report.builderFee')}>{number(builderFee)}</Fact>
      <Fact name={t('report.againstMid')}>
        <Slipped points={slippage?.mid} />
      </Fact>
      <Fact name={t('report.againstMark')}>
        <Slipped points={slippage?.mark} />
      </Fact>
    </Part>
  );
}

function Slipped({ points }: { readonly points: string | null | undefined }) {
  const t = useWords();
  if (points === null || points === undefined) return NOTHING;
  const words = { points: number(magnitude(points)) };
  if (sign(points) > 0) return <span className="text-sell">{t('report.worse', words)}</span>;
  if (sign(points) < 0) return <span className="text-buy">{t('report.better', words)}</span>;
  return t('report.same');
}

export function Arrival({ report: { arrival } }: Reported) {
  const t = useWords();
  if (arrival === null) {
    return (
      <Titled title={t('report.arrival')}>
        <p>{t('report.notArrived')}</p>
      </Titled>
    );
  }
  return (
    <Part title={t('report.arrival')}>
      <Fact name={t('report.bestBid')}>{number(arrival.bestBid)}</Fact>
      <Fact name={t('report.bestAsk')}>{number(arrival.bestAsk)}</Fact>
      <Fact name={t('report.mid')}>{number(arrival.midPx)}</Fact>
      <Fact name={t('report.mark')}>{number(arrival.markPx)}</Fact>
      <Fact name={t('report.oracle')}>{number(arrival.oraclePx)}</Fact>
    </Part>
  );
}

export function Times({ report }: Reported) {
  const t = useWords();
  const { entered, received } = report;
  return (
    <Part title={t('report.times')}>
      <Fact name={t('report.received')}>
        <Moment ms={received.time} />
      </Fact>
      <Fact name={t('report.entered')}>
        {entered === null ? NOTHING : <Moment ms={entered.time} />}
      </Fact>
      <Fact name={t('report.waited')}>{waitText(waitedMs(report), t)}</Fact>
      <Fact name={t('report.transaction')}>
        <span className="font-mono text-12">
          <OriginLink hash={received.txHash}>{short(received.txHash)}</OriginLink>
        </span>
      </Fact>
      <Fact name={t('report.block')}>
        <BlockLink height={received.height} />
      </Fact>
      {entered !== null && entered.height !== received.height && (
        <Fact name={t('report.enteredBlock')}>
          <BlockLink height={entered.height} />
        </Fact>
      )}
    </Part>
  );
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

function waitText(ms: number | undefined, t: Words): string {
  if (ms === undefined) return NOTHING;
  if (ms === 0) return t('report.noWait');
  if (ms < SECOND_MS) return `${ms} ms`;
  return ms < MINUTE_MS ? `${number(String(ms / SECOND_MS))} s` : countdown(ms);
}

export function Queue({ report }: Reported) {
  const t = useWords();
  const { resting } = report;
  if (resting === null) return null;
  const counted = (size: string | null): string =>
    size === null ? t('report.uncounted') : number(size);
  const isOver = resting.to !== null;
  return (
    <Part title={t('report.queue')}>
      <Fact name={t('report.restedAt')}>{number(resting.px)}</Fact>
      <Fact name={t('report.since')}>
        <Moment ms={resting.from} />
      </Fact>
      <Fact name={t('report.until')}>
        {resting.to === null ? t('report.still') : <Moment ms={resting.to} />}
      </Fact>
      <Fact name={t('report.aheadAtStart')}>{counted(resting.aheadAtStart)}</Fact>
      <Fact name={t(isOver ? 'report.aheadAtEnd' : 'report.aheadNow')}>
        {counted(resting.ahead)}
      </Fact>
      <Fact name={t('report.gone')}>{number(filledAhead(report))}</Fact>
    </Part>
  );
}

export function Ending({ report: { end } }: Reported) {
  const t = useWords();
  if (end === null) {
    return (
      <Titled title={t('report.end')}>
        <p>{t('report.lives')}</p>
      </Titled>
    );
  }
  return (
    <Part title={t('report.end')}>
      <Fact name={t('report.state')}>{t(`report.states.${end.state}`)}</Fact>
      <Fact name={t('report.reason')}>{end.reason ?? t('report.noReason')}</Fact>
      <Fact name={t('report.ended')}>
        <Moment ms={end.time} />
      </Fact>
      <Fact name={t('report.block')}>
        <BlockLink height={end.height} />
      </Fact>
    </Part>
  );
}

type Titles = { readonly title: string; readonly children: ReactNode };

function Part({ title, children }: Titles) {
  return (
    <Titled title={title}>
      <dl>{children}</dl>
    </Titled>
  );
}

function Titled({ title, children }: Titles) {
  return (
    <section aria-label={title}>
      <h3 className="mb-1 text-12 text-muted">{title}</h3>
      {children}
    </section>
  );
}

function Moment({ ms }: { readonly ms: number }) {
  return (
    <time dateTime={new Date(ms).toISOString()} title={wholeDate(ms)}>
      {exactTime(ms)}
    </time>
  );
}

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
      <TradedPrice of={of} value={px} isAsReported />
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
      <TradedPrice of={of} value={px} isAsReported />
    )),
    numberColumn('size', t('report.size'), ({ sz }) => <TradedSize of={of} value={sz} />),
    numberColumn('fee', t('report.fee'), ({ fee }) => number(fee)),
    numberColumn('builderFee', t('report.builderFee'), ({ builderFee }) => number(builderFee), {
      from: 'tablet',
    }),
  ];
}

export type TakenLevel = {
  readonly px: string;
  readonly rested: string;
  /** The fill of the order at this level, or undefined if the report does not have all fills. */
  readonly taken:
    | { readonly sz: string; readonly fee: string; readonly builderFee: string }
    | undefined;
};

/**
 * Returns the levels that the order took, best price first. Fills after an amend are excluded,
 * because they can take from other levels.
 */
export function takenLevels(report: OrderReport): readonly TakenLevel[] {
  const { arrival, entered, fills } = report;
  const isWhole = hasAllFills(report);
  const atOnce = fills.filter(({ height, role }) => role === 'taker' && height === entered?.height);
  return (arrival?.met ?? []).map(({ px, sz: rested }) => {
    if (!isWhole) return { px, rested, taken: undefined };
    const own = atOnce.filter((fill) => compare(fill.px, px) === 0);
    const taken = {
      sz: sum(own.map(({ sz }) => sz)),
      fee: sum(own.map(({ fee }) => fee)),
      builderFee: sum(own.map(({ builderFee }) => builderFee)),
    };
    return { px, rested, taken };
  });
}

export function hasAllFills({ filledSz, fills }: OrderReport): boolean {
  return compare(sum(fills.map(({ sz }) => sz)), filledSz) === 0;
}

export function waitedMs({ entered, received }: OrderReport): number | undefined {
  return entered === null ? undefined : entered.time - received.time;
}

export function filledAhead({ resting }: OrderReport): string | undefined {
  if (resting === null || resting.aheadAtStart === null || resting.ahead === null) return undefined;
  return subtract(resting.aheadAtStart, resting.ahead);
}
