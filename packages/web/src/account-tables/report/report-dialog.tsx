import { useQuery } from '@tanstack/react-query';
import type { ExecutionReport, OrderReport } from '@oddlot/sdk';
import { saveBlob } from '../../lib/csv.ts';
import { number } from '../../lib/format.ts';
import { addWords, useWords } from '../../lib/words.ts';
import { useMarketNames } from '../../market/market-names.ts';
import { usePerp } from '../../market/queries.ts';
import { reader } from '../../market/venue.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ErrorSentence } from '../../ui/error-sentence.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { isBought } from '../is-bought.ts';
import { hasAllFills } from './executed.ts';
import { Arrival, Ending, Queue, Result, Times } from './report-facts.tsx';
import { FillsOf, LevelsOf } from './report-tables.tsx';
import { texts } from 'words:report';

addWords(texts);

/** What is in front of an order that rests changes with every trade at its price. */
const AGAIN_MS = 5_000;
/** The history may be behind the stream that brought the row. */
const TRIES = 3;

/** One order from the door of the venue to its end, as the venue reports it. */
export function ReportDialog({
  user,
  oid,
  onClose,
}: {
  readonly user: string;
  readonly oid: number;
  readonly onClose: () => void;
}) {
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

/** What was asked for, in one line, with the market and the leg as the page calls them. */
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

/** As the venue answered, nothing rounded and nothing left out. */
function save(data: ExecutionReport, oid: number): void {
  const text = `${JSON.stringify(data, null, 2)}\n`;
  saveBlob(`order-${oid}.json`, new Blob([text], { type: 'application/json' }));
}
