import type { FundingHistoryRow } from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo } from 'react';
import { isDecimal, multiply, negate, sign, sum } from '../../../lib/decimal.ts';
import { dateTime, hourlyRate, hourMinute, percent, usdc } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { fundingLists } from '../../../market/account-lists.ts';
import { contexts } from '../../../market/streams.ts';
import { reader, venueNow } from '../../../market/venue.ts';
import { useSession } from '../../../session/session.ts';
import { Money } from '../../../ui/figures.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { usePositions, useTradedPerp } from '../use-account.ts';

const FundingChart = lazy(async () => ({
  default: (await import('./funding-chart.tsx')).FundingChart,
}));

const HOURS_OF_A_YEAR = '8760';
const SHOWN_MS = 7 * 24 * 3_600_000;
const AGAIN_MS = 60_000;

export function FundingView() {
  const t = useWords();
  const { coin, perp } = useTradedPerp();
  const { data } = useQuery({
    queryKey: ['fundingHistory', coin],
    queryFn: ({ signal }) =>
      reader.info.fundingHistory({ coin, startTime: venueNow() - SHOWN_MS }, { signal }),
    refetchInterval: AGAIN_MS,
  });
  const nextMs = contexts.use(coin, ({ ctx }) => ctx?.nextFundingTime);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <Facts />
      {data?.length === 0 && (
        <div className="min-h-0 flex-1 border-t border-line">
          <EmptyState
            title={t('perps.funding.empty')}
            text={t('perps.funding.emptyText', {
              market: perp.name,
              time: nextMs === undefined ? '' : hourMinute(nextMs),
            })}
          />
        </div>
      )}
      {data !== undefined && data.length > 0 && (
        <div className="flex min-h-0 flex-1 border-t border-line max-tablet:flex-col">
          <div className="min-h-0 min-w-0 flex-1">
            <Suspense>
              <FundingChart rows={data} label={t('perps.funding.chart', { market: perp.name })} />
            </Suspense>
          </div>
          <Hours rows={data} />
        </div>
      )}
    </div>
  );
}

function Facts() {
  const t = useWords();
  const { coin } = useTradedPerp();
  const ctx = contexts.use(coin, (state) => state.ctx);
  const positions = usePositions().filter((row) => row.position.asset === coin);
  const rate = ctx?.funding;
  const held = sum(positions.map(({ position }) => position.szi));
  const next =
    sign(held) !== 0 && isDecimal(rate) && isDecimal(ctx?.oraclePx)
      ? negate(multiply(multiply(held, ctx.oraclePx), rate))
      : undefined;
  const facts = [
    [t('perps.funding.hourly'), hourlyRate(rate)],
    [
      t('perps.funding.yearly'),
      isDecimal(rate) ? percent(multiply(rate, HOURS_OF_A_YEAR), { isSigned: true }) : '–',
    ],
    [t('perps.funding.premium'), hourlyRate(ctx?.premium)],
    [t('perps.funding.next'), ctx === undefined ? '–' : hourMinute(ctx.nextFundingTime)],
    [t('perps.funding.yours'), usdc(next, { isSigned: true, decimals: 4 })],
  ] as const;
  const direction = isDecimal(rate) ? sign(rate) : 0;
  const words =
    direction === 0
      ? t('perps.strip.nobodyPays')
      : t(direction > 0 ? 'perps.strip.longsPay' : 'perps.strip.shortsPay');
  return (
    <dl className="flex shrink-0 flex-wrap items-end gap-x-8 gap-y-2 px-4 py-3">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt className="text-11 text-muted">{name}</dt>
          <dd className="text-15 tabular-nums">{value}</dd>
        </div>
      ))}
      <div className="ms-auto text-12 text-muted max-tablet:ms-0">
        <dt className="visually-hidden">{t('perps.strip.funding')}</dt>
        <dd>{words}</dd>
        <dd>{t('perps.strip.fundNote')}</dd>
      </div>
    </dl>
  );
}

function Hours({ rows }: { readonly rows: readonly FundingHistoryRow[] }) {
  const t = useWords();
  const { perp } = useTradedPerp();
  const user = useSession()?.address;
  const paid = fundingLists.use(user, (state) => state.rows);
  const own = useMemo(() => {
    const byTime = new Map<number, string>();
    for (const { coin, time, usdc: amount } of paid) {
      if (coin === perp.name) byTime.set(time, sum([byTime.get(time) ?? '0', amount]));
    }
    return byTime;
  }, [paid, perp.name]);
  return (
    <div
      role="group"
      tabIndex={0}
      aria-label={t('perps.funding.hours')}
      className="w-80 shrink-0 overflow-y-auto border-s border-line px-3 max-tablet:h-1/2 max-tablet:w-full max-tablet:border-t max-tablet:border-s-0"
    >
      <table className="w-full text-12">
        <thead className="sticky top-0 bg-panel">
          <tr className="h-7 text-11 text-muted">
            <th className="text-start font-normal">{t('perps.funding.hour')}</th>
            <th className="text-end font-normal">{t('perps.column.rate')}</th>
            <th className="text-end font-normal">{t('perps.funding.own')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.toReversed().map(({ fundingRate, time }) => (
            <tr key={time} className="h-6">
              <td className="text-muted">{dateTime(time)}</td>
              <td className="text-end">{hourlyRate(fundingRate)}</td>
              <td className="text-end">
                {own.has(time) ? (
                  <Money value={own.get(time)} isSigned isColoured />
                ) : (
                  <span className="text-faint">–</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
