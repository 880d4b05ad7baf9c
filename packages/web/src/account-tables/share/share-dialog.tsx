import { useEffect, useMemo, useState } from 'react';
import { saveBlob } from '../../lib/browser.ts';
import { useWords } from '../../lib/words.ts';
import { isTestnet, useSettings } from '../../market/queries.ts';
import { venueNow } from '../../market/venue.ts';
import { useSession } from '../../session/session.ts';
import { FONT, palette } from '../../ui/canvas.ts';
import { Button, Checkbox } from '../../ui/controls.tsx';
import { CopyButton } from '../../ui/figures.tsx';
import { Dialog } from '../../ui/overlays.tsx';
import { cardOf, type Card, type Move, type SharedResult } from './share-button.tsx';

type ShareDialogProps = { readonly shared: SharedResult; readonly onClose: () => void };

export function ShareDialog({ shared, onClose }: ShareDialogProps) {
  const t = useWords();
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

/** The size, in pixels, that other sites use for link previews. */
export const CARD_PX = { width: 1_200, height: 630 } as const;
const MARGIN_PX = 72;

export function drawCard(canvas: HTMLCanvasElement, card: Card): void {
  const context = canvas.getContext('2d');
  if (context === null) return;
  const { accent, buy, line, muted, panel, sell, text } = palette();
  const { height, width } = CARD_PX;
  const room = width - 2 * MARGIN_PX;
  const write = (
    words: string,
    colour: string,
    font: string,
    x: number,
    y: number,
    end = width - MARGIN_PX,
  ): void => {
    context.font = `${font} ${FONT}`;
    context.fillStyle = colour;
    context.fillText(words, x, y, end - x);
  };
  context.fillStyle = panel;
  context.fillRect(0, 0, width, height);
  context.fillStyle = line;
  context.fillRect(MARGIN_PX, height - 110, room, 2);
  write('odd', text, 'bold 36px', MARGIN_PX, 96);
  const half = context.measureText('odd').width;
  write('lot', accent, 'bold 36px', MARGIN_PX + half, 96);
  write(card.market, text, '600 52px', MARGIN_PX, 190, MOVE_PX.left - 40);
  write(card.about, muted, '28px', MARGIN_PX, 236);
  const tone = { buy, sell, muted }[card.tone];
  write(card.headline, tone, 'bold 120px', MARGIN_PX, 372, MOVE_PX.left - 40);
  if (card.move !== undefined) drawMove(context, card.move, { tone, line });
  card.facts.forEach(([name, value], at) => {
    const x = MARGIN_PX + at * (room / Math.max(3, card.facts.length));
    write(name, muted, '24px', x, 440);
    write(value, text, '600 32px', x, 482);
  });
  write(card.foot, muted, '24px', MARGIN_PX, height - 56);
}

/** The part of the picture that contains the arrow, to the right of the headline. */
const MOVE_PX = { left: 740, right: 1_100, top: 130, bottom: 350 } as const;
const HEAD_PX = 26;

/**
 * Draws an arrow from the first price to the last. The arrow is straight, because the path in
 * between is unknown.
 */
function drawMove(
  context: CanvasRenderingContext2D,
  { direction, from, to }: Move,
  { line, tone }: Readonly<{ line: string; tone: string }>,
): void {
  const { bottom, left, right, top } = MOVE_PX;
  const middle = (top + bottom) / 2;
  const startY = direction === 0 ? middle : direction > 0 ? bottom : top;
  const endY = bottom + top - startY;
  context.lineWidth = 2;
  context.strokeStyle = line;
  context.setLineDash([6, 8]);
  for (const y of new Set([startY, endY])) {
    context.beginPath();
    context.moveTo(left, y);
    context.lineTo(right, y);
    context.stroke();
  }
  context.setLineDash([]);
  context.fillStyle = tone;
  context.globalAlpha = 0.12;
  context.beginPath();
  context.moveTo(left, startY);
  context.lineTo(right, endY);
  context.lineTo(right, startY);
  context.fill();
  context.globalAlpha = 1;
  context.strokeStyle = tone;
  context.lineWidth = 8;
  context.lineCap = 'round';
  context.lineJoin = 'round';
  const angle = Math.atan2(endY - startY, right - left);
  context.beginPath();
  context.moveTo(left, startY);
  context.lineTo(right, endY);
  for (const turn of [-0.5, 0.5]) {
    context.moveTo(right, endY);
    const side = angle + Math.PI + turn;
    context.lineTo(right + HEAD_PX * Math.cos(side), endY + HEAD_PX * Math.sin(side));
  }
  context.stroke();
  context.font = `600 26px ${FONT}`;
  const room = 40;
  const outside = (y: number): number => (y === top || direction === 0 ? y - 20 : y + room);
  context.fillText(from, left, outside(startY));
  context.textAlign = 'end';
  context.fillText(to, right, outside(endY));
  context.textAlign = 'start';
}
