import { useEffect, useRef, useState, type RefObject } from 'react';
import type { AlignedData } from 'uplot';
import { mendLanguage } from '../lib/languages.ts';
import type { Plot, PlotOptions } from './plot.ts';

export function usePlot(
  key: string,
  options: PlotOptions,
  data: AlignedData,
): Readonly<{ target: RefObject<HTMLDivElement | null>; isReady: boolean; hasFailed: boolean }> {
  const target = useRef<HTMLDivElement>(null);
  const plot = useRef<Plot | undefined>(undefined);
  const latest = useRef({ options, data });
  const [isReady, setIsReady] = useState(false);
  const [hasFailed, setHasFailed] = useState(false);
  useEffect(() => {
    latest.current = { options, data };
    plot.current?.set(data);
  }, [options, data]);
  useEffect(() => {
    let isGone = false;
    const make = async (): Promise<void> => {
      mendLanguage();
      const { createPlot } = await import('./plot.ts');
      if (isGone || target.current === null) return;
      const { options: now } = latest.current;
      plot.current = createPlot(target.current, {
        ...now,
        bounds: (low, high) => latest.current.options.bounds(low, high),
        onPoint: (place) => latest.current.options.onPoint?.(place),
        behind: (chart, colours) => latest.current.options.behind?.(chart, colours),
      });
      plot.current.set(latest.current.data);
      setIsReady(true);
    };
    make().catch(() => setHasFailed(true));
    return () => {
      isGone = true;
      plot.current?.destroy();
      plot.current = undefined;
    };
    // A new key must recreate the chart, even though the effect does not read it.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies
  }, [key]);
  return { target, isReady, hasFailed };
}
