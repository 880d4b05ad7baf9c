import { useWords } from '../../../lib/words.ts';
import { NumberField } from '../../../ui/number-field.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { useDesk } from '../desk.ts';
import { changeDraft, useDraft } from './draft.ts';

/** Where the position that this order opens is to end. */
export function Exits() {
  const t = useWords();
  const { grid } = useDesk();
  const { exitBasis, hasExits, isReduceOnly, stopLoss, takeProfit, type } = useDraft();
  if (!hasExits || isReduceOnly || type === 'scale') return null;
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
    </div>
  );
}
