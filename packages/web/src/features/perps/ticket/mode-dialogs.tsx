import { type ReactNode, useState } from 'react';
import type { ActionReply, ActiveAssetData, Client } from '@oddlot/sdk';
import { useWords } from '../../../lib/words.ts';
import { openOrders } from '../../../market/account.ts';
import { useSession } from '../../../session/session.ts';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorSentence } from '../../../ui/empty-state.tsx';
import { useTradedPerp } from '../traded-perp.ts';
import { usePositions } from '../use-account.ts';
import { cancelNamed, whatWaits } from '../tables/what-waits.ts';
import { useAct } from '../use-act.ts';

type ModeDialogProps = { readonly asset: ActiveAssetData; readonly onClose: () => void };

export function MarginModeDialog({ asset, onClose }: ModeDialogProps) {
  const t = useWords();
  const { perp } = useTradedPerp();
  return (
    <Choice
      title={t('perps.marginMode.title', { market: perp.name })}
      now={asset.leverage.type}
      options={(['Cross', 'Isolated'] as const).map((value) => ({
        value,
        label: t(`perps.account.${value}`),
        text: t(`perps.marginMode.${value}`),
        isDisabled: value === 'Cross' && asset.onlyIsolated,
      }))}
      note={() => t('perps.marginMode.carried', { value: asset.leverage.value })}
      onSave={(value) => [
        (trader) =>
          trader.exchange.updateMarginMode(
            { asset: perp.index, isCross: value === 'Cross' },
            { confirm: 'executed' },
          ),
        // Each mode has a leverage of its own at the venue; the one that was chosen here goes along.
        ...sidesOf(asset, value).map(
          (leverage) => (trader: Client) =>
            trader.exchange.updateLeverage(
              { asset: perp.index, leverage },
              { confirm: 'executed' },
            ),
        ),
      ]}
      onClose={onClose}
    />
  );
}

function sidesOf({ leverage }: ActiveAssetData, next: 'Cross' | 'Isolated'): readonly number[] {
  const { mode, value } = leverage;
  return mode === 'Hedge' && next === 'Isolated' ? [value, -value] : [value];
}

export function PositionModeDialog({ asset, onClose }: ModeDialogProps) {
  const t = useWords();
  const waiting = useWaiting();
  const positions = usePositions().length;
  return (
    <Choice
      title={t('perps.positionMode.title')}
      now={asset.leverage.mode}
      options={(['OneWay', 'Hedge'] as const).map((value) => ({
        value,
        label: t(`perps.account.${value}`),
        text: t(`perps.positionMode.${value}`),
      }))}
      obstacle={positions + waiting.orders + waiting.triggers > 0 && <InTheWay />}
      onSave={(value) => [
        (trader) =>
          trader.exchange.updatePositionMode(
            { positionMode: value === 'Hedge' ? 'hedge' : 'oneWay' },
            { confirm: 'executed' },
          ),
      ]}
      onClose={onClose}
    />
  );
}

function useWaiting(): { readonly orders: number; readonly triggers: number } {
  const user = useSession()?.address;
  const orders = openOrders.use(user, (open) => open.orders.length);
  const triggers = openOrders.use(user, (open) => open.triggers.length);
  return { orders, triggers };
}

/**
 * The mode does not change while there are positions or anything waits: says what, and takes it back. The exits of
 * a position are not offered to be cancelled, as it would stand there unprotected.
 */
function InTheWay() {
  const t = useWords();
  const waiting = useWaiting();
  const user = useSession()?.address;
  const open = openOrders.use(user, (state) => state);
  const positions = usePositions().length;
  const [fault, setFault] = useState<unknown>();
  const { act, canAct, isBusy } = useAct(setFault);
  const cancel = (): void => {
    setFault(undefined);
    // Only what is counted above: a position that opens meanwhile keeps its exits.
    const { orders } = whatWaits({ ...open, positions: [] });
    void act((trader) => cancelNamed(trader, orders));
  };
  return (
    <div className="flex flex-col items-start gap-2 border-s-2 border-warning py-0.5 ps-3 text-12">
      <p>{t('perps.positionMode.inTheWay', { positions, ...waiting })}</p>
      {positions === 0 && (
        <Button size="small" isBusy={isBusy} disabled={!canAct} onClick={cancel}>
          {t('perps.positionMode.cancelThem')}
        </Button>
      )}
      {fault !== undefined && <ErrorSentence error={fault} />}
    </div>
  );
}

function Choice<Value extends string>({
  title,
  now,
  options,
  note,
  obstacle = false,
  onSave,
  onClose,
}: {
  readonly title: string;
  readonly now: Value;
  readonly options: readonly {
    readonly value: Value;
    readonly label: string;
    readonly text: string;
    readonly isDisabled?: boolean;
  }[];
  readonly note?: (value: Value) => string;
  readonly obstacle?: ReactNode;
  readonly onSave: (value: Value) => readonly ((trader: Client) => Promise<ActionReply>)[];
  readonly onClose: () => void;
}) {
  const t = useWords();
  const [chosen, setChosen] = useState(now);
  const [fault, setFault] = useState<unknown>();
  const { act, canAct, isBusy } = useAct(setFault);
  const save = async (): Promise<void> => {
    setFault(undefined);
    for (const run of onSave(chosen)) {
      if ((await act(run)) === undefined) return;
    }
    onClose();
  };
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <div className="flex flex-col gap-3" role="radiogroup" aria-label={title}>
        {options.map(({ isDisabled = false, label, text, value }) => (
          <button
            key={value}
            type="button"
            role="radio"
            aria-checked={value === chosen}
            disabled={isDisabled}
            onClick={() => setChosen(value)}
            className={classes(
              'rounded border p-3 text-start disabled:opacity-50',
              value === chosen ? 'border-accent bg-accent/10' : 'border-line hover:border-faint',
            )}
          >
            <span className="block text-13 font-medium">{label}</span>
            <span className="block text-12 text-muted">{text}</span>
          </button>
        ))}
        {note !== undefined && chosen !== now && <p className="text-12">{note(chosen)}</p>}
        {obstacle}
        {fault !== undefined && <ErrorSentence error={fault} />}
        <Button
          kind="accent"
          isWide
          isBusy={isBusy}
          disabled={!canAct || chosen === now || obstacle !== false}
          onClick={() => void save()}
        >
          {t('perps.save')}
        </Button>
      </div>
    </Dialog>
  );
}
