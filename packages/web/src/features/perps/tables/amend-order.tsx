import { createContext, useContext, useMemo, useState, type ReactNode } from 'react';
import type { OpenOrder } from '@oddlot/sdk';
import { compare, isDecimal, sign } from '../../../lib/decimal.ts';
import { useWords } from '../../../lib/words.ts';
import { usePerp } from '../../../market/queries.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorSentence } from '../../../ui/error-sentence.tsx';
import { NumberField } from '../../../ui/number-field.tsx';
import { gridOf } from '../grid.ts';
import { useAct } from '../use-act.ts';

/** Another price or size for an order that rests, typed in its row; at the same price it keeps its place. */

type Draft = { readonly order: OpenOrder; readonly price: string; readonly size: string };

type Amending = {
  readonly draft: Draft | undefined;
  readonly isBusy: boolean;
  readonly begin: (order: OpenOrder) => void;
  readonly change: (part: Partial<Draft>) => void;
  readonly leave: () => void;
  readonly save: () => void;
};

const AmendContext = createContext<Amending | undefined>(undefined);

/** One order of the table is amended at a time; a refusal stands above the table with what mends it. */
export function AmendingOrders({ children }: { readonly children: ReactNode }) {
  const [draft, setDraft] = useState<Draft>();
  const [fault, setFault] = useState<unknown>();
  const { act, isBusy } = useAct(setFault);
  const amending = useMemo((): Amending => {
    const put = (next: Draft | undefined): void => {
      setFault(undefined);
      setDraft(next);
    };
    return {
      draft,
      isBusy,
      begin: (order) => put({ order, price: order.limitPx, size: order.origSz }),
      change: (part) => draft !== undefined && put({ ...draft, ...part }),
      leave: () => put(undefined),
      save: () => {
        if (draft === undefined || !isChanged(draft)) return;
        setFault(undefined);
        const { order, price, size } = draft;
        const entry = { a: order.instrumentId, o: order.oid, p: price, s: size };
        void act((trader) => trader.exchange.modify2(entry, { confirm: 'executed' })).then(
          (reply) => reply !== undefined && setDraft(undefined),
        );
      },
    };
  }, [act, draft, isBusy]);
  return (
    <AmendContext value={amending}>
      {fault !== undefined && draft !== undefined && (
        <div className="px-4 py-1">
          <ErrorSentence
            error={fault}
            onRemedy={(remedy) => {
              if (remedy.kind !== 'useValue') return undefined;
              const { field, value } = remedy;
              return () => amending.change(field === 's' ? { size: value } : { price: value });
            }}
          />
        </div>
      )}
      {children}
    </AmendContext>
  );
}

/** Whether something else would rest than what does. */
function isChanged({ order, price, size }: Draft): boolean {
  if (![price, size].every((text) => isDecimal(text) && sign(text) > 0)) return false;
  return compare(price, order.limitPx) !== 0 || compare(size, order.origSz) !== 0;
}

/** How the order with this id is being amended, if it is. */
export function useAmending(oid: number): Amending {
  const amending = useContext(AmendContext);
  if (amending === undefined) throw new Error('There is no table of orders around this cell');
  return amending.draft?.order.oid === oid ? amending : { ...amending, draft: undefined };
}

/** A figure of an order; while it is amended, a field with it. Enter sends, Escape leaves it as it was. */
export function AmendField({
  order,
  field,
  children,
}: {
  readonly order: OpenOrder;
  readonly field: 'price' | 'size';
  readonly children: ReactNode;
}) {
  const t = useWords();
  const { change, draft, leave, save } = useAmending(order.oid);
  const perp = usePerp(String(order.instrumentId));
  if (draft === undefined || perp === undefined) return children;
  const grid = gridOf(perp);
  return (
    <div
      role="presentation"
      onKeyDown={({ key }) => key === 'Escape' && leave()}
      className="[&_label]:sr-only [&_input]:text-13 [&>div>div]:h-7 [&>div>div>span]:hidden"
    >
      <NumberField
        label={t(`perps.ticket.${field}`)}
        value={draft[field]}
        step={field === 'price' ? grid.tick : grid.lot}
        onChange={(value) => change({ [field]: value })}
        onEnter={save}
      />
    </div>
  );
}

export function AmendButtons({ order }: { readonly order: OpenOrder }) {
  const t = useWords();
  const { draft, isBusy, leave, save } = useAmending(order.oid);
  return (
    <span className="inline-flex gap-1">
      <Button
        size="small"
        kind="accent"
        isBusy={isBusy}
        disabled={draft === undefined || !isChanged(draft)}
        onClick={save}
      >
        {t('perps.save')}
      </Button>
      <Button size="small" onClick={leave}>
        {t('perps.amend.leave')}
      </Button>
    </span>
  );
}
