import { useEffect, useMemo, useState } from 'react';
import { saveBlob } from '../../lib/csv.ts';
import { isTestnet } from '../../lib/is-testnet.ts';
import { useWords } from '../../lib/words.ts';
import { useSettings } from '../../market/queries.ts';
import { venueNow } from '../../market/venue.ts';
import { useSession } from '../../session/use-session.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CARD_PX, drawCard } from './draw-card.ts';
import { cardOf, type SharedResult } from './shared-result.ts';

/** A picture of a result, drawn here and sent nowhere, and a link for who wants to look on. */
export function ShareDialog({
  shared,
  onClose,
}: {
  readonly shared: SharedResult;
  readonly onClose: () => void;
}) {
  const t = useWords();
  // What is in a dialog comes a moment after the dialog.
  const [canvas, setCanvas] = useState<HTMLCanvasElement | null>(null);
  const address = useSession()?.address;
  const isTest = isTestnet(useSettings().data);
  const [hasAmounts, setHasAmounts] = useState(false);
  const [isNamed, setIsNamed] = useState(false);
  const [nowMs] = useState(venueNow);
  const card = useMemo(() => {
    const { host } = globalThis.location;
    const named = isNamed ? address : undefined;
    return cardOf(shared, { hasAmounts, address: named, isTest, nowMs, host }, t);
  }, [shared, hasAmounts, isNamed, address, isTest, nowMs, t]);
  useEffect(() => {
    if (canvas !== null) drawCard(canvas, card);
  }, [canvas, card]);
  const save = (): void =>
    canvas?.toBlob((picture) => {
      if (picture !== null) saveBlob(`${shared.market}.png`, picture);
    }, 'image/png');
  return (
    <Dialog title={t('share.title')} description={t('share.text')} isOpen onClose={onClose} isWide>
      <div className="flex flex-col gap-3">
        <canvas
          ref={setCanvas}
          width={CARD_PX.width}
          height={CARD_PX.height}
          role="img"
          aria-label={[card.market, card.about, card.headline, ...card.facts.flat()].join(', ')}
          className="w-full rounded border border-line"
        />
        <Checkbox label={t('share.amounts')} isOn={hasAmounts} onChange={setHasAmounts} />
        {address !== undefined && (
          <Checkbox label={t('share.named')} isOn={isNamed} onChange={setIsNamed} />
        )}
        <div className="flex flex-wrap items-center gap-3">
          <Button kind="accent" onClick={save}>
            {t('share.save')}
          </Button>
          {address !== undefined && (
            <>
              <CopyButton
                label={t('share.link')}
                text={`${globalThis.location.origin}/explorer/address/${address}`}
              />
              <span className="min-w-40 flex-1 text-12 text-muted">{t('share.linkText')}</span>
            </>
          )}
        </div>
      </div>
    </Dialog>
  );
}
