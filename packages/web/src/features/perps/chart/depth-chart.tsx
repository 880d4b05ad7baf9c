import { useRef, useState, type PointerEvent } from 'react';
import { useWords } from '../../../lib/words.ts';
import { books } from '../../../market/book.ts';
import { useTradedPerp } from '../traded-perp.ts';
import { useDrawing } from '../../../market/use-drawing.ts';
import { drawDepth } from './draw-depth.ts';

/** How much stands in the book up to which price. */
export function DepthChart() {
  const t = useWords();
  const { coin, grid, perp } = useTradedPerp();
  const canvas = useRef<HTMLCanvasElement>(null);
  const store = books.useStore({ coin });
  const [pointerX, setPointerX] = useState<number>();
  useDrawing(canvas, [store], () => {
    const { book } = store.getState();
    if (canvas.current === null || book === undefined) return;
    drawDepth(canvas.current, book, {
      base: perp.baseCurrency,
      decimals: grid.priceDecimals,
      pointerX,
    });
  });
  return (
    <canvas
      ref={canvas}
      role="img"
      aria-label={t('perps.chart.depth')}
      className="h-full w-full"
      onPointerMove={(event: PointerEvent<HTMLCanvasElement>) =>
        setPointerX(event.clientX - event.currentTarget.getBoundingClientRect().left)
      }
      onPointerLeave={() => setPointerX(undefined)}
    />
  );
}
