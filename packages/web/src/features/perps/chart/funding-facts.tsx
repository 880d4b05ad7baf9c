import { useMemo } from 'react';
import { isDecimal, multiply, negate, sign } from '../../../lib/decimal.ts';
import { money, percent } from '../../../lib/format.ts';
import { dateTime } from '../../../lib/time.ts';
import { useWords } from '../../../lib/words.ts';
import { fundingLists } from '../../../market/account-lists.ts';
import { contexts } from '../../../market/contexts.ts';
import { useSession } from '../../../session/use-session.ts';
import { Money } from '../../../ui/figure.tsx';
import { useDesk } from '../desk.ts';
import { usePositions } from '../use-account.ts';

const HOURS_OF_A_YEAR = '8760';
const SHOWN = 48;

/** What holding a position costs here: the rate now, what it means for this account, and what was paid. */
export function FundingFacts() {
  const t = useWords();
  const { coin, perp } = useDesk();
  const user = useSession()?.address;
  const ctx = contexts.use(coin, (state) => state.ctx);
  const all = fundingLists.use(user, (state) => state.rows);
  const paid = useMemo(
    () => all.filter((row) => row.coin === perp.name).slice(0, SHOWN),
    [all, perp.name],
  );
  const position = usePositions().find((row) => row.position.asset === coin)?.position;
  const rate = ctx?.funding;
  const next =
    position !== undefined && isDecimal(rate) && isDecimal(ctx?.oraclePx)
      ? negate(multiply(multiply(position.szi, ctx.oraclePx), rate))
      : undefined;
  const facts = [
    [t('perps.funding.hourly'), percent(rate, { decimals: 4, isSigned: true })],
    [
      t('perps.funding.yearly'),
      isDecimal(rate) ? percent(multiply(rate, HOURS_OF_A_YEAR), { isSigned: true }) : '–',
    ],
    [t('perps.funding.premium'), percent(ctx?.premium, { decimals: 4, isSigned: true })],
    [t('perps.funding.next'), ctx === undefined ? '–' : dateTime(ctx.nextFundingTime)],
    [t('perps.funding.yours'), money(next, { isSigned: true })],
  ] as const;
  const isPaid = isDecimal(rate) && sign(rate) !== 0;
  return (
    <div
      className="h-full overflow-y-auto p-4"
      role="group"
      tabIndex={0}
      aria-label={t('perps.chart.funding')}
    >
      <dl className="flex flex-wrap gap-x-8 gap-y-3">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt className="text-11 text-muted">{name}</dt>
            <dd className="text-15 tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
      <p className="mt-3 text-12 text-muted">
        {isPaid
          ? t(sign(rate) > 0 ? 'perps.strip.longsPay' : 'perps.strip.shortsPay')
          : t('perps.strip.nobodyPays')}
      </p>
      <h3 className="mt-4 mb-1 text-12 text-muted">{t('perps.funding.paid')}</h3>
      {paid.length === 0 ? (
        <p className="text-12 text-muted">{t('perps.empty.fundingText')}</p>
      ) : (
        <ul className="grid max-w-96 grid-cols-2 gap-x-4 text-12">
          {paid.map(({ time, usdc }) => (
            <li key={`${time} ${usdc}`} className="contents">
              <span>{dateTime(time)}</span>
              <span className="text-right">
                <Money value={usdc} isSigned isColoured />
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
