import { useEffect, useEffectEvent, type RefObject } from 'react';
import type { StoreApi } from 'zustand/vanilla';
import { inNextFrame, onFrame } from './frame.ts';
import { preferences } from '../ui/preferences.ts';

type Watched = Pick<StoreApi<unknown>, 'subscribe'>;

/** Draws a canvas now, when its size or the theme changes, and at most once per frame after a change of its stores. */
export function useDrawing(
  canvas: RefObject<HTMLCanvasElement | null>,
  stores: readonly Watched[],
  draw: () => void,
): void {
  const now = useEffectEvent(draw);
  useEffect(() => {
    const again = (): void => inNextFrame(redraw);
    const redraw = (): void => now();
    const leave = stores.map((store) => onFrame(store, redraw));
    // The theme is on the document when its listeners before this one have run.
    leave.push(preferences.subscribe(again));
    const sizes = new ResizeObserver(again);
    if (canvas.current !== null) sizes.observe(canvas.current);
    again();
    return () => {
      for (const end of leave) end();
      sizes.disconnect();
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- each store is one of the parameters
  }, [canvas, ...stores]);
  // What a component draws depends on its own state too.
  useEffect(() => now());
}
