import { useWords } from '../../../lib/words.ts';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { changeDraft, useDraft, type Lifetime } from './draft.ts';

const LIFETIMES: readonly Lifetime[] = ['gtc', 'hour', 'day', 'week', 'ioc'];

/** How the order behaves. What a kind of order cannot have is not offered. */
export function Options({ isHedge }: { readonly isHedge: boolean }) {
  const t = useWords();
  const { hasExits, isPostOnly, isReduceOnly, lifetime, type } = useDraft();
  const rests = type === 'limit' || type === 'scale';
  const reduces = isHedge ? false : isReduceOnly;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
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
      {rests && !isPostOnly && (
        <span className="ml-auto">
          <Menu
            trigger={
              <button type="button" className="rounded text-12 text-muted hover:text-text">
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
    </div>
  );
}
