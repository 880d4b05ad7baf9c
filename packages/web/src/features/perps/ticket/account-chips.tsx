import { useState } from 'react';
import type { ActiveAssetData } from '@oddlot/sdk';
import { useWords } from '../../../lib/words.ts';
import { Chip } from '../../../ui/chip.tsx';
import { onDemand } from '../../../ui/late.tsx';

const LeverageDialog = onDemand(async () => (await import('./leverage-dialog.tsx')).LeverageDialog);
const MarginModeDialog = onDemand(
  async () => (await import('./mode-dialogs.tsx')).MarginModeDialog,
);
const PositionModeDialog = onDemand(
  async () => (await import('./mode-dialogs.tsx')).PositionModeDialog,
);

type Open = 'margin' | 'leverage' | 'position' | undefined;

/** How this market is traded: margin mode, leverage, one position or two. Each opens a dialog. */
export function AccountChips({ asset }: { readonly asset: ActiveAssetData | undefined }) {
  const t = useWords();
  const [open, setOpen] = useState<Open>();
  const close = (): void => setOpen(undefined);
  if (asset === undefined) return null;
  const { mode, type, value } = asset.leverage;
  const short = asset.leverageShort?.value;
  return (
    <div className="flex justify-between gap-2">
      <Chip onClick={() => setOpen('margin')}>{t(`perps.account.${type}`)}</Chip>
      <Chip onClick={() => setOpen('leverage')} aria-label={t('perps.account.leverage', { value })}>
        {value}×{short !== undefined && short !== value && ` / ${short}×`}
      </Chip>
      <Chip onClick={() => setOpen('position')}>{t(`perps.account.${mode}`)}</Chip>
      {open === 'margin' && <MarginModeDialog asset={asset} onClose={close} />}
      {open === 'leverage' && <LeverageDialog asset={asset} onClose={close} />}
      {open === 'position' && <PositionModeDialog asset={asset} onClose={close} />}
    </div>
  );
}
