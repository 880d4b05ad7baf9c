import { FONT, palette } from '../../ui/canvas.ts';
import type { Card } from './shared-result.ts';

/** As large as pictures are that other pages show of a link. */
export const CARD_PX = { width: 1_200, height: 630 } as const;
const MARGIN_PX = 72;

/** Draws the picture; texts are drawn as text, whatever they are. */
export function drawCard(canvas: HTMLCanvasElement, card: Card): void {
  const context = canvas.getContext('2d');
  if (context === null) return;
  const { accent, buy, line, muted, panel, sell, text } = palette();
  const { height, width } = CARD_PX;
  const room = width - 2 * MARGIN_PX;
  const write = (words: string, colour: string, font: string, x: number, y: number): void => {
    context.font = `${font} ${FONT}`;
    context.fillStyle = colour;
    context.fillText(words, x, y, width - MARGIN_PX - x);
  };
  context.fillStyle = panel;
  context.fillRect(0, 0, width, height);
  context.fillStyle = line;
  context.fillRect(MARGIN_PX, height - 110, room, 2);
  write('odd', text, 'bold 36px', MARGIN_PX, 96);
  const half = context.measureText('odd').width;
  write('lot', accent, 'bold 36px', MARGIN_PX + half, 96);
  write(card.market, text, '600 52px', MARGIN_PX, 190);
  write(card.about, muted, '28px', MARGIN_PX, 236);
  const tone = { buy, sell, muted }[card.tone];
  write(card.headline, tone, 'bold 120px', MARGIN_PX, 372);
  card.facts.forEach(([name, value], at) => {
    const x = MARGIN_PX + at * (room / Math.max(3, card.facts.length));
    write(name, muted, '24px', x, 440);
    write(value, text, '600 32px', x, 482);
  });
  write(card.foot, muted, '24px', MARGIN_PX, height - 56);
}
