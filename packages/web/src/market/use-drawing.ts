import { useEffect, useEffectEvent, useRef, type RefObject } from 'react';
import type { StoreApi } from 'zustand/vanilla';
import { inNextFrame, notInNextFrame } from './frame.ts';
import { preferences } from '../ui/preferences.ts';

type Watched = Pick<StoreApi<unknown>, 'subscribe'>;

/**
 * Draws a canvas when its size, the theme, its stores or its component changed: once in the next frame, however
 * many of them did.
 */
export function useDrawing(
  canvas: RefObject<HTMLCanvasElement | null>,
  stores: readonly Watched[],
  draw: () => void,
): void {
  const now = useEffectEvent(draw);
  const plan = useRef<() => void>(undefined);
  useEffect(() => {
    const redraw = (): void => now();
    const again = (): void => inNextFrame(redraw);
    const leave = stores.map((store) => store.subscribe(again));
    // Earlier listeners put the theme on the document, so this one comes last.
    leave.push(preferences.subscribe(again));
    const sizes = new ResizeObserver(again);
    if (canvas.current !== null) sizes.observe(canvas.current);
    plan.current = again;
    return () => {
      for (const end of leave) end();
      sizes.disconnect();
      notInNextFrame(redraw);
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- each store is one of the parameters
  }, [canvas, ...stores]);
  // What a component draws depends on its own state too.
  useEffect(() => plan.current?.());
}
