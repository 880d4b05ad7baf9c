import { useState } from 'react';
import type { ActionReply, ActiveAssetData, Client } from '@oddlot/sdk';
import { useWords } from '../../../lib/words.ts';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/class-names.ts';
import { Dialog } from '../../../ui/dialog.tsx';
import { ErrorSentence } from '../../../ui/error-sentence.tsx';
import { useDesk } from '../desk.ts';
import { useAct } from '../use-act.ts';

type ModeDialogProps = { readonly asset: ActiveAssetData; readonly onClose: () => void };

export function MarginModeDialog({ asset, onClose }: ModeDialogProps) {
  const t = useWords();
  const { perp } = useDesk();
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
      onSave={(value) => (trader) =>
        trader.exchange.updateMarginMode(
          { asset: perp.index, isCross: value === 'Cross' },
          { confirm: 'executed' },
        )
      }
      onClose={onClose}
    />
  );
}

export function PositionModeDialog({ asset, onClose }: ModeDialogProps) {
  const t = useWords();
  return (
    <Choice
      title={t('perps.positionMode.title')}
      now={asset.leverage.mode}
      options={(['OneWay', 'Hedge'] as const).map((value) => ({
        value,
        label: t(`perps.account.${value}`),
        text: t(`perps.positionMode.${value}`),
      }))}
      onSave={(value) => (trader) =>
        trader.exchange.updatePositionMode(
          { positionMode: value === 'Hedge' ? 'hedge' : 'oneWay' },
          { confirm: 'executed' },
        )
      }
      onClose={onClose}
    />
  );
}

/** Two ways, each with a sentence about what it means. */
function Choice<Value extends string>({
  title,
  now,
  options,
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
  readonly onSave: (value: Value) => (trader: Client) => Promise<ActionReply>;
  readonly onClose: () => void;
}) {
  const t = useWords();
  const [chosen, setChosen] = useState(now);
  const [fault, setFault] = useState<unknown>();
  const { act, canAct, isBusy } = useAct(setFault);
  const save = async (): Promise<void> => {
    setFault(undefined);
    if ((await act(onSave(chosen))) !== undefined) onClose();
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
              'rounded border p-3 text-left disabled:opacity-50',
              value === chosen ? 'border-accent bg-accent/10' : 'border-line hover:border-faint',
            )}
          >
            <span className="block text-13 font-medium">{label}</span>
            <span className="block text-12 text-muted">{text}</span>
          </button>
        ))}
        {fault !== undefined && <ErrorSentence error={fault} />}
        <Button
          kind="accent"
          isWide
          isBusy={isBusy}
          disabled={!canAct || chosen === now}
          onClick={() => void save()}
        >
          {t('perps.save')}
        </Button>
      </div>
    </Dialog>
  );
}
