import { add, divide, isDecimal, multiply, onStep, subtract } from '../../../lib/decimal.ts';
import { money, number, percent } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { books } from '../../../market/book.ts';
import { NumberField } from '../../../ui/number-field.tsx';
import { useTradedPerp } from '../traded-perp.ts';
import { changeDraft, isTriggerType, type Lifetime, useDraft } from './draft.ts';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { type Drafted, exitPrice, hasLife, isReducing } from './orders-of-draft.ts';
import { colourOf } from '../../../ui/figure.tsx';
import { Segmented } from '../../../ui/segmented.tsx';

/** The prices that a kind of order has. */
export function PriceFields() {
  const t = useWords();
  const { grid } = useTradedPerp();
  const { lastPrice, limitPrice, price, steps, triggerPrice, type } = useDraft();
  if (type === 'market') return null;
  const isTrigger = isTriggerType(type);
  return (
    <div className="flex flex-col gap-2">
      {isTrigger && (
        <NumberField
          label={t('perps.ticket.triggerPrice')}
          value={triggerPrice}
          step={grid.tick}
          onChange={(value) => changeDraft({ triggerPrice: value })}
        />
      )}
      <NumberField
        label={t(
          isTrigger
            ? 'perps.ticket.limitPrice'
            : type === 'scale'
              ? 'perps.ticket.firstPrice'
              : 'perps.ticket.price',
        )}
        value={isTrigger ? limitPrice : price}
        step={grid.tick}
        placeholder={isTrigger ? t('perps.ticket.atMarket') : undefined}
        onChange={(value) => changeDraft(isTrigger ? { limitPrice: value } : { price: value })}
      />
      {type === 'limit' && <QuickPrices />}
      {type === 'scale' && (
        <>
          <NumberField
            label={t('perps.ticket.lastPrice')}
            value={lastPrice}
            step={grid.tick}
            onChange={(value) => changeDraft({ lastPrice: value })}
          />
          <NumberField
            label={t('perps.ticket.steps')}
            value={steps}
            step="1"
            min="2"
            onChange={(value) => changeDraft({ steps: value })}
          />
        </>
      )}
    </div>
  );
}

function QuickPrices() {
  const t = useWords();
  const { coin, grid } = useTradedPerp();
  const { ask, bid } = books.use({ coin }, ({ book }) => ({
    bid: book?.levels[0][0]?.px,
    ask: book?.levels[1][0]?.px,
  }));
  const middle =
    bid === undefined || ask === undefined
      ? undefined
      : onStep(divide(add(bid, ask), '2') ?? bid, grid.tick, 'down');
  const quick = [
    ['bid', bid],
    ['mid', middle],
    ['ask', ask],
  ] as const;
  return (
    <div className="flex items-center gap-3 text-12 text-muted">
      {quick.map(([name, value]) => (
        <button
          key={name}
          type="button"
          disabled={value === undefined}
          title={value === undefined ? undefined : number(value)}
          onClick={() => value !== undefined && changeDraft({ price: value })}
          className="rounded hover:text-text disabled:opacity-50 max-tablet:h-9 max-tablet:px-2"
        >
          {t(`perps.ticket.${name}`)}
        </button>
      ))}
      <span className="ms-auto text-11">{t('perps.ticket.tick', { tick: number(grid.tick) })}</span>
    </div>
  );
}

const LIFETIMES: readonly Lifetime[] = ['gtc', 'hour', 'day', 'week', 'date', 'ioc'];

/** How the order behaves. What a kind of order cannot have is not offered. */
export function Options({ isHedge }: { readonly isHedge: boolean }) {
  const t = useWords();
  const draft = useDraft();
  const { hasExits, isPostOnly, isReduceOnly, lifetime, type } = draft;
  const rests = type === 'limit' || type === 'scale';
  const reduces = isReducing(draft, { isHedge });
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-2 max-tablet:gap-x-3">
      {!isHedge && (
        <Checkbox
          label={t('perps.ticket.reduceOnly')}
          isOn={isReduceOnly}
          onChange={(isOn) => changeDraft({ isReduceOnly: isOn })}
        />
      )}
      {rests && (
        <Checkbox
          label={t('perps.ticket.postOnly')}
          isOn={isPostOnly}
          onChange={(isOn) => changeDraft({ isPostOnly: isOn })}
        />
      )}
      {type !== 'scale' && !reduces && (
        <Checkbox
          label={t('perps.ticket.exits')}
          isOn={hasExits}
          onChange={(isOn) => changeDraft({ hasExits: isOn })}
        />
      )}
      {hasLife(draft) && (
        <span className="ms-auto whitespace-nowrap">
          <Menu
            trigger={
              <button
                type="button"
                className="rounded text-12 text-muted hover:text-text max-tablet:h-9 max-tablet:px-2"
              >
                <span className="heard">{t('perps.ticket.lifetime')} </span>
                {t(`perps.ticket.lifetimes.${lifetime}`)} ▾
              </button>
            }
            items={LIFETIMES.map((value) => ({
              label: t(`perps.ticket.lifetimes.${value}Long`),
              isChosen: value === lifetime,
              onSelect: () => changeDraft({ lifetime: value }),
            }))}
          />
        </span>
      )}
      {hasLife(draft) && lifetime === 'date' && (
        <div className="w-full">
          <TextField
            label={t('perps.ticket.until')}
            type="datetime-local"
            onChange={(typed) => {
              const untilMs = Date.parse(typed);
              changeDraft({ untilMs: Number.isNaN(untilMs) ? undefined : untilMs });
            }}
          />
        </div>
      )}
    </div>
  );
}

/** Where the position that this order opens is to end. */
export function Exits({
  drafted,
  isHedge,
}: {
  readonly drafted: Drafted;
  readonly isHedge: boolean;
}) {
  const t = useWords();
  const { grid } = useTradedPerp();
  const draft = useDraft();
  const { exitBasis, stopLoss, takeProfit } = draft;
  if (!draft.hasExits || isReducing(draft, { isHedge }) || draft.type === 'scale') return null;
  const unit = exitBasis === 'percent' ? '%' : exitBasis === 'pnl' ? 'USDC' : undefined;
  const step = exitBasis === 'price' ? grid.tick : undefined;
  return (
    <div className="flex flex-col gap-2">
      <Segmented
        label={t('perps.ticket.exitsBy')}
        size="small"
        value={exitBasis}
        onChange={(next) => changeDraft({ exitBasis: next, takeProfit: '', stopLoss: '' })}
        segments={(['price', 'percent', 'pnl'] as const).map((value) => ({
          value,
          label: t(`perps.ticket.basis.${value}`),
        }))}
      />
      <div className="grid grid-cols-2 gap-2">
        <NumberField
          label={t('perps.ticket.takeProfit')}
          value={takeProfit}
          step={step}
          unit={unit}
          onChange={(value) => changeDraft({ takeProfit: value })}
        />
        <NumberField
          label={t('perps.ticket.stopLoss')}
          value={stopLoss}
          step={step}
          unit={unit}
          onChange={(value) => changeDraft({ stopLoss: value })}
        />
      </div>
      <Made drafted={drafted} />
    </div>
  );
}

/** At which prices they are, and what each makes of the whole order. */
function Made({ drafted }: { readonly drafted: Drafted }) {
  const t = useWords();
  const { grid } = useTradedPerp();
  const draft = useDraft();
  if (drafted.missing !== undefined) return null;
  const { price: entry, size } = drafted;
  return (['takeProfit', 'stopLoss'] as const).map((exit) => {
    const price = exitPrice(draft, exit, { price: entry, size, tick: grid.tick });
    if (!isDecimal(price)) return null;
    const move = draft.side === 'buy' ? subtract(price, entry) : subtract(entry, price);
    const amount = multiply(size, move);
    return (
      <p key={exit} className={`text-12 ${colourOf(amount)}`}>
        {t('perps.exits.makes', {
          price: number(price, { decimals: grid.priceDecimals }),
          amount: money(amount, { isSigned: true }),
          share: percent(divide(move, entry, 6), { isSigned: true }),
        })}
      </p>
    );
  });
}
