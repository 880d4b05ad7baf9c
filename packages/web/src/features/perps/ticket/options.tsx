import { useWords } from '../../../lib/words.ts';
import { Checkbox } from '../../../ui/checkbox.tsx';
import { Menu } from '../../../ui/menu.tsx';
import { TextField } from '../../../ui/text-field.tsx';
import { changeDraft, useDraft, type Lifetime } from './draft.ts';
import { hasLife, isReducing } from './orders-of-draft.ts';

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
