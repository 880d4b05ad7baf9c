import type { ActionReply, ActiveAssetData, Client } from '@oddlot/sdk';
import { useQuery } from '@tanstack/react-query';
import { Slider as RadixSlider } from 'radix-ui';
import { useState, type ReactNode } from 'react';
import { number, percent } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { openOrders } from '../../../market/account.ts';
import { reader } from '../../../market/venue.ts';
import { useSession } from '../../../session/session.ts';
import { Button, NumberField, Segmented } from '../../../ui/controls.tsx';
import { Dialog } from '../../../ui/overlays.tsx';
import { ErrorSentence } from '../../../ui/states.tsx';
import { classes } from '../../../ui/styles.ts';
import { cancelNamed, whatWaits } from '../tables/waiting-exits.ts';
import { useAct, usePositions, useTradedPerp } from '../use-account.ts';

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
 * Lists the orders that prevent a mode change. TP/SL orders of positions are not cancelled here,
 * because the positions would lose their protection.
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

type LeverageDialogProps = { readonly asset: ActiveAssetData; readonly onClose: () => void };

export function LeverageDialog({ asset, onClose }: LeverageDialogProps) {
  const t = useWords();
  const { perp } = useTradedPerp();
  const { canSave, chosen, choose, fault, hasSides, isBusy, save, setValue, side, value } =
    useLeverage(asset, onClose);
  return (
    <Dialog
      title={t('perps.leverage.title', { market: perp.name })}
      description={t('perps.leverage.text')}
      isOpen
      onClose={onClose}
    >
      <div className="flex flex-col gap-4">
        {hasSides && (
          <Segmented
            label={t('perps.leverage.side')}
            value={side}
            onChange={choose}
            segments={[
              { value: 'long', label: t('perps.long') },
              { value: 'short', label: t('perps.short') },
            ]}
          />
        )}
        <NumberField
          label={t('perps.leverage.value')}
          value={value}
          step="1"
          min="1"
          unit="×"
          onChange={setValue}
          onEnter={() => void save()}
        />
        <Steps value={chosen} max={perp.maxLeverage} onChange={(next) => setValue(String(next))} />
        <Tiers />
        {fault !== undefined && (
          <ErrorSentence
            error={fault}
            onRemedy={(remedy) =>
              remedy.kind === 'useValue' ? () => setValue(remedy.value) : undefined
            }
          />
        )}
        <Button
          kind="accent"
          isWide
          isBusy={isBusy}
          disabled={!canSave}
          onClick={() => void save()}
        >
          {t('perps.leverage.save', { value })}
        </Button>
      </div>
    </Dialog>
  );
}

function useLeverage(asset: ActiveAssetData, onDone: () => void) {
  const { perp } = useTradedPerp();
  const { leverage, leverageShort } = asset;
  const hasSides = leverage.mode === 'Hedge' && leverage.type === 'Isolated';
  const [side, setSide] = useState<'long' | 'short'>('long');
  const [value, setValue] = useState(String(leverage.value));
  const [fault, setFault] = useState<unknown>();
  const { act, canAct, isBusy } = useAct(setFault);
  const chosen = Number(value);
  const canSave = canAct && Number.isInteger(chosen) && chosen >= 1;
  const choose = (next: 'long' | 'short'): void => {
    setSide(next);
    setValue(String((next === 'short' ? leverageShort?.value : undefined) ?? leverage.value));
  };
  const save = async (): Promise<void> => {
    if (!canSave) return;
    setFault(undefined);
    const signed = hasSides && side === 'short' ? -chosen : chosen;
    const reply = await act((trader) =>
      trader.exchange.updateLeverage(
        { asset: perp.index, leverage: signed },
        { confirm: 'executed' },
      ),
    );
    if (reply !== undefined) onDone();
  };
  return { canSave, chosen, choose, fault, hasSides, isBusy, save, setValue, side, value };
}

type StepsProps = Readonly<{ value: number; max: number; onChange: (value: number) => void }>;

function Steps({ value, max, onChange }: StepsProps) {
  const t = useWords();
  return (
    <RadixSlider.Root
      value={[Math.min(max, Math.max(1, value || 1))]}
      min={1}
      max={max}
      step={1}
      onValueChange={([next = 1]) => onChange(next)}
      className="relative flex h-6 w-full touch-none items-center select-none"
    >
      <RadixSlider.Track className="relative h-0.5 w-full rounded bg-line">
        <RadixSlider.Range className="absolute h-full rounded bg-accent" />
      </RadixSlider.Track>
      <RadixSlider.Thumb
        aria-label={t('perps.leverage.value')}
        aria-valuetext={`${value}×`}
        className="block size-3.5 rounded-full border-2 border-accent bg-panel"
      />
    </RadixSlider.Root>
  );
}

function Tiers() {
  const t = useWords();
  const { perp } = useTradedPerp();
  const { data } = useQuery({
    queryKey: ['perpMetaDetail', perp.baseCurrency],
    queryFn: ({ signal }) =>
      reader.info.perpMetaDetail({ assetName: perp.baseCurrency }, { signal }),
  });
  const tiers = data?.instruments.find(({ perp: own }) => own.instrumentId === perp.index)
    ?.marginTable.tiers;
  if (tiers === undefined) return null;
  return (
    <table className="w-full text-12">
      <caption className="mb-1 text-start text-11 text-muted">
        {t(perp.useNotionalMargin ? 'perps.leverage.tiersByValue' : 'perps.leverage.tiersBySize')}
      </caption>
      <thead>
        <tr className="h-6 text-11 text-muted">
          <th className="text-start font-normal">{t('perps.leverage.upTo')}</th>
          <th className="text-end font-normal">{t('perps.leverage.most')}</th>
          <th className="text-end font-normal">{t('perps.leverage.maintenance')}</th>
        </tr>
      </thead>
      <tbody>
        {tiers.map((tier) => (
          <tr key={tier.tier} className="h-6 border-t border-line/50">
            <td>
              {number(tier.maxSize)} {perp.useNotionalMargin ? 'USDC' : perp.baseCurrency}
            </td>
            <td className="text-end">{number(String(tier.maxLeverage))}×</td>
            <td className="text-end">{percent(tier.mmr)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
