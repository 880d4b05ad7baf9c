import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Slider as RadixSlider } from 'radix-ui';
import type { ActiveAssetData } from '@oddlot/sdk';
import { compact, number, percent } from '../../../lib/format.ts';
import { useWords } from '../../../lib/words.ts';
import { reader } from '../../../market/venue.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorSentence } from '../../../ui/empty-state.tsx';
import { NumberField } from '../../../ui/number-field.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { useTradedPerp } from '../traded-perp.ts';
import { useAct } from '../use-act.ts';

type LeverageDialogProps = { readonly asset: ActiveAssetData; readonly onClose: () => void };

/** Sets the leverage; below it what the venue allows at which size. */
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

/** The leverage that is chosen; in hedge mode with isolated margin each side has its own. */
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

type StepsProps = {
  readonly value: number;
  readonly max: number;
  readonly onChange: (value: number) => void;
};

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
              {compact(tier.maxSize)} {perp.useNotionalMargin ? 'USDC' : perp.baseCurrency}
            </td>
            <td className="text-end">{number(String(tier.maxLeverage))}×</td>
            <td className="text-end">{percent(tier.mmr)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
