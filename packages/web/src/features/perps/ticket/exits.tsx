import { divide, isDecimal, multiply, subtract } from '../../../lib/decimal.ts';
import { money, number, percent } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { colourOf } from '../../../ui/figure.tsx';
import { NumberField } from '../../../ui/number-field.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { useTradedPerp } from '../traded-perp.ts';
import { changeDraft, useDraft } from './draft.ts';
import { exitPrice, isReducing, type Drafted } from './orders-of-draft.ts';

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
