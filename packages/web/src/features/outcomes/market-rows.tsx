import type { Leg, OutcomeEventMeta, OutcomeMarketMeta, Ticker } from '@oddlot/sdk';
import { isDecimal, multiply, roundTo, sign, subtract, sum } from '../../lib/decimal.ts';
import { cents, probability, money, NOTHING, number } from '../../lib/format.ts';
import { useWords } from '../../lib/words.ts';
import { accountStates } from '../../market/account.ts';
import { priceDecimals } from '../../market/cells.tsx';
import { useSession } from '../../session/session.ts';
import { Badge, colourOf } from '../../ui/figures.tsx';
import { classes } from '../../ui/styles.ts';
import {
  holdingsOf,
  legName,
  markOf,
  nameOf,
  plotColour,
  priceToBuy,
  turnover,
  usePayouts,
  type Bbo,
  type Payout,
} from './market-facts.ts';

type MarketRowsProps = {
  readonly event: OutcomeEventMeta;
  readonly markets: readonly OutcomeMarketMeta[];
  readonly byId: ReadonlyMap<number, Ticker>;
  readonly bbos: ReadonlyMap<number, Bbo>;
  readonly selected: number;
  readonly onSelect: (market: OutcomeMarketMeta) => void;
  readonly onTrade: (market: OutcomeMarketMeta, leg: Leg) => void;
};

export function MarketRows(props: MarketRowsProps) {
  const t = useWords();
  const head = 'px-2 font-normal whitespace-nowrap';
  return (
    <table
      className={classes(
        'w-full table-fixed border-collapse',
        props.markets.length === 1 && 'max-tablet:hidden',
      )}
    >
      <caption className="visually-hidden">{t('outcomes.rows.label')}</caption>
      <colgroup>
        <col />
        <col className="w-14 tablet:w-24" />
        <col className="w-16 max-tablet:hidden" />
        <col className="w-28 max-tablet:hidden" />
        <col className="w-40 max-desktop:hidden" />
        <col className="w-40 tablet:w-64" />
      </colgroup>
      <thead>
        <tr className="h-8 text-11 text-muted">
          <th scope="col" className={classes(head, 'ps-3 text-start')}>
            {t('outcomes.rows.market')}
          </th>
          <th scope="col" className={classes(head, 'text-end')}>
            {t('outcomes.rows.chance')}
          </th>
          <th scope="col" className={classes(head, 'text-end max-tablet:hidden')}>
            {t('outcomes.rows.change')}
          </th>
          <th scope="col" className={classes(head, 'text-end max-tablet:hidden')}>
            {t('outcomes.rows.volume')}
          </th>
          <th scope="col" className={classes(head, 'text-end max-desktop:hidden')}>
            {t('outcomes.rows.yours')}
          </th>
          <th scope="col" className={classes(head, 'text-end')}>
            <span className="visually-hidden">{t('outcomes.ticket.buy')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {props.markets.map((market, place) => (
          <MarketRow key={market.instrument_id} {...props} market={market} place={place} />
        ))}
      </tbody>
    </table>
  );
}

function MarketRow({
  event,
  market,
  place,
  byId,
  bbos,
  selected,
  onSelect,
  onTrade,
}: MarketRowsProps & { readonly market: OutcomeMarketMeta; readonly place: number }) {
  const id = market.instrument_id;
  const mark = markOf(market, byId);
  const isSelected = selected === id;
  const name = event.markets.length === 1 ? market.question : nameOf(market, event);
  return (
    <tr
      aria-selected={isSelected}
      onClick={() => onSelect(market)}
      className="h-12 cursor-pointer border-t border-line hover:bg-raised/60 aria-selected:bg-raised"
    >
      <th scope="row" className="py-1 ps-3 pe-1 text-start font-normal tablet:pe-3">
        <button
          type="button"
          aria-pressed={isSelected}
          className="max-w-full text-start max-tablet:line-clamp-2 tablet:block tablet:truncate"
          title={name}
        >
          {name}
        </button>
        <ChanceBar price={mark} place={place} />
      </th>
      <td className="px-1 text-end text-15 font-semibold whitespace-nowrap tablet:px-2 tablet:text-20">
        {probability(mark)}
      </td>
      <td className="px-2 text-end max-tablet:hidden">
        <Change mark={mark} ticker={byId.get(id)} />
      </td>
      <td className="px-2 text-end max-tablet:hidden">{turnover(market.volume.total)}</td>
      <td className="overflow-hidden px-2 text-end text-ellipsis whitespace-nowrap max-desktop:hidden">
        <Yours market={market} />
      </td>
      <td className="px-1 tablet:px-2">
        <Legs market={market} bbo={bbos.get(id)} onTrade={(leg) => onTrade(market, leg)} />
      </td>
    </tr>
  );
}

type LegsProps = {
  readonly market: OutcomeMarketMeta;
  readonly bbo: Bbo | undefined;
  readonly onTrade: (leg: Leg) => void;
};

function Legs({ market, bbo, onTrade }: LegsProps) {
  const t = useWords();
  if (market.phase === 'resolved') return <Result market={market} />;
  if (market.phase !== 'open') {
    return (
      <span className="flex justify-end">
        <Badge tone="warning">{t(`outcomes.phase.${market.phase}`)}</Badge>
      </span>
    );
  }
  return (
    <span className="flex justify-end gap-1 tablet:gap-2">
      {(['Yes', 'No'] as const).map((leg) => (
        <button
          key={leg}
          type="button"
          onClick={(press) => {
            press.stopPropagation();
            onTrade(leg);
          }}
          className={classes(
            'flex h-8 w-full max-w-30 min-w-0 items-center justify-center gap-1 rounded px-1 text-12 font-medium transition-colors',
            leg === 'Yes'
              ? 'bg-buy/15 text-buy-strong hover:bg-buy/25'
              : 'bg-sell/15 text-sell-strong hover:bg-sell/25',
          )}
        >
          <bdi className="min-w-0 truncate">{legName(market, leg)}</bdi>
          <span className="shrink-0">{cents(priceToBuy(bbo, leg), priceDecimals(market))}</span>
        </button>
      ))}
    </span>
  );
}

type ChangeProps = { readonly mark: string | undefined; readonly ticker: Ticker | undefined };

function Change({ mark, ticker }: ChangeProps) {
  const before = ticker?.prevDayPx;
  if (!isDecimal(before) || !isDecimal(mark)) return <span className="text-faint">{NOTHING}</span>;
  const points = roundTo(multiply(subtract(mark, before), '100'), 0);
  return <span className={colourOf(points)}>{number(points, { isSigned: true })}</span>;
}

function Yours({ market }: { readonly market: OutcomeMarketMeta }) {
  const user = useSession()?.address;
  const state = accountStates.use(
    user === undefined ? undefined : { user, accountType: 'outcome' },
    (account) => account.state,
  );
  const holdings = holdingsOf(state, market.instrument_id);
  const payouts = usePayouts(market.instrument_id);
  if (holdings.length === 0) return <WasPaid payouts={payouts} />;
  return holdings.map(({ leg, profit, shares }) => (
    <span key={leg} className="flex justify-end gap-1 text-12">
      <span>{number(shares)}</span>
      <span className="min-w-0 truncate">{legName(market, leg)}</span>
      <span className={colourOf(profit)}>{number(profit, { decimals: 2, isSigned: true })}</span>
    </span>
  ));
}

function WasPaid({ payouts }: { readonly payouts: readonly Payout[] }) {
  const t = useWords();
  if (payouts.length === 0) return <span className="text-faint">{NOTHING}</span>;
  const total = sum(payouts.map(({ amount }) => amount));
  return (
    <span className="text-12">
      {sign(total) > 0
        ? t('outcomes.rows.wasPaid', { amount: money(total) })
        : t('outcomes.rows.lost')}
    </span>
  );
}

function Result({ market }: { readonly market: OutcomeMarketMeta }) {
  const t = useWords();
  const { settlement_fraction: fraction, winning_outcome: winner } = market.settlement;
  return (
    <span
      className={classes(
        'flex justify-end text-12',
        winner === 'Yes' ? 'font-medium text-buy-strong' : 'text-muted',
      )}
    >
      {winner === null
        ? t('outcomes.paid', {
            leg: legName(market, 'Yes'),
            amount: cents(fraction, Math.max(2, priceDecimals(market))),
          })
        : t('outcomes.winner', { leg: legName(market, winner) })}
    </span>
  );
}

type ChanceBarProps = Readonly<{ price: string | undefined; place: number }>;

function ChanceBar({ price, place }: ChanceBarProps) {
  const width = isDecimal(price) ? `${multiply(price, '100')}%` : '0%';
  return (
    <span aria-hidden="true" className="mt-1 block h-0.5 max-w-60 rounded bg-line">
      <span className="block h-full rounded" style={{ width, background: plotColour(place) }} />
    </span>
  );
}
