import { useWords } from '../../../lib/words.ts';
import { Segmented } from '../../../ui/segmented.tsx';
import { changeDraft, chooseType, useDraft, type OrderType } from './draft.ts';

const TYPES: readonly OrderType[] = ['limit', 'market', 'stop', 'takeProfit', 'scale'];

export function TypeChoice() {
  const t = useWords();
  const { type } = useDraft();
  return (
    <Segmented
      label={t('perps.ticket.type')}
      value={type}
      onChange={chooseType}
      segments={TYPES.map((value) => ({ value, label: t(`perps.ticket.types.${value}`) }))}
    />
  );
}

/** Buy or sell; in hedge mode also whether it opens a position or closes the other one. */
export function SideChoice({ isHedge }: { readonly isHedge: boolean }) {
  const t = useWords();
  const { isClosing, side } = useDraft();
  const words = isHedge ? (isClosing ? 'closing' : 'opening') : 'oneWay';
  return (
    <>
      {isHedge && (
        <Segmented
          label={t('perps.ticket.effect')}
          size="small"
          value={isClosing ? 'close' : 'open'}
          onChange={(next) => changeDraft({ isClosing: next === 'close' })}
          segments={[
            { value: 'open', label: t('perps.ticket.open') },
            { value: 'close', label: t('perps.ticket.close') },
          ]}
        />
      )}
      <Segmented
        label={t('perps.ticket.side')}
        value={side}
        onChange={(next) => changeDraft({ side: next })}
        segments={(['buy', 'sell'] as const).map((value) => ({
          value,
          tone: value,
          label: t(`perps.ticket.${words}.${value}`),
        }))}
      />
    </>
  );
}
